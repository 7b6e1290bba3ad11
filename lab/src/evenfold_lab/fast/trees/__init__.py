"""Trees, bags and forests, many at once."""
