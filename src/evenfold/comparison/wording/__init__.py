"""What is said of an answer: about what, beside what, of whom, and how to get it again."""
