"""What is known of cells and runs, and how it is kept and found again."""
