"""Methods on random splits."""
