"""How the sharp default was found and measured; the README tells the story."""
