"""Methods on repeated halvings, m×2 designs."""
