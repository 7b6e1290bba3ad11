"""
Answer from results that exist already.

The modules find what varied in a table and what is measured, and arrange the table as losses.
"""
