"""
Facts in pictures: what each shows is an info value that a test can check, and draws itself.

``infos`` says which of them an answer is worth.
"""
