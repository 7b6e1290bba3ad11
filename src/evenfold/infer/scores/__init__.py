"""Methods on precision, recall and F1."""
