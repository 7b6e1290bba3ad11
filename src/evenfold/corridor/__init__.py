"""The corridor: it wires the rooms."""
