"""What is known of fits and runs, and how it is kept and found again."""
