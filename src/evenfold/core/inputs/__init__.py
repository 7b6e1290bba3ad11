"""What comes in, checked: the data of a question, results that exist already, schemes of tags."""
