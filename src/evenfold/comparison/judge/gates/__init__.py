"""Gates on tables: which method holds where losses are rare, and how to stop early."""
