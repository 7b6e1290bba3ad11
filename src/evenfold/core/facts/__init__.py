"""
Everything a report says, as plain values.

Of a comparison, of several data sets, of a method's card.
"""
