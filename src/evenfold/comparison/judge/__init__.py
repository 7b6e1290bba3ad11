"""Results that exist already: what varied, what is measured, and the losses that a table amounts to."""
