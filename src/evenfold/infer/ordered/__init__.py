"""
What differences in the order of time say.

Of forecasts along a path, of a method, of many forecasters.
"""
