"""
Everything a report says, as plain values.

There are facts of a comparison, of several data sets, of a leaderboard and of a method's card.
"""
