"""Values as JSON and back: for people and other programs, and whole."""
