"""Several questions on the same data: how they share an error level."""
