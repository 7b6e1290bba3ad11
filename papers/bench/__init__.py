"""
The benchmark of difference tests.

How its results were made, and the page and figure made of them.
"""
