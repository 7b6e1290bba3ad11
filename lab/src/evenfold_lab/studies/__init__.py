"""What is measured on populations of known truth: one file per family of questions."""
