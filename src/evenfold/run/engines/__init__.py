"""
Engines run fits and hand back outcomes in any order; which one is chosen never changes a result.

In this process, on a pool of workers (threads, loky processes, a dask cluster), or on any other
backend that ``joblib.parallel_config`` names.
"""
