"""
Results that exist already.

What varied, what is measured, and the losses that a table amounts to.
"""
