"""Measures of an order: areas under ROC curves, and how well counts rank what has many."""
