"""
Facts in pictures: what each shows is an info value that a test can check.

``drawing`` draws them.
"""
