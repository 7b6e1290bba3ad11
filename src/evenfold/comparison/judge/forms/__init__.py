"""Forms of tables that are not a value per model and example: scores, and other examples for each."""
