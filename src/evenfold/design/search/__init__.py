"""How the designs are found: orthogonal arrays, patterns, dealing and exchange."""
