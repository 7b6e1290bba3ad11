"""Leaderboards: models on tasks, and models in battles."""
