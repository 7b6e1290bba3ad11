"""
Make the invented tables of the pages on boards, battles and judges.

``python tools/example_tables.py``.
"""

import csv
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "docs" / "_static"
NAMES = ("ada", "bell", "cray", "dag", "eve", "fox", "gau", "hal")


def write(name: str, header: list[str], rows: list[list[object]]) -> None:
    """Write one table."""
    with (FOLDER / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def leaderboard() -> None:
    """Eight models on 24 tasks: two clusters of near equals and one that is behind."""
    rng = np.random.default_rng(35)
    skill = np.array([0.74, 0.73, 0.73, 0.68, 0.67, 0.67, 0.66, 0.52])
    hard = rng.normal(0, 0.1, 24)
    values = np.clip(skill[:, None] + hard + rng.normal(0, 0.035, (8, 24)), 0, 1).round(3)
    tasks = [f"task {t + 1}" for t in range(24)]
    write("leaderboard.csv", ["model", *tasks], [[NAMES[k], *values[k]] for k in range(8)])


def battles() -> None:
    """
    Six models in 1800 battles about 450 prompts, a fifth of them ties.

    Some prompts suit some models.
    """
    rng = np.random.default_rng(36)
    strength = np.array([0.55, 0.45, 0.1, 0.05, -0.35, -0.8])
    rows: list[list[object]] = []
    for prompt in range(450):
        suits = rng.normal(0, 0.6, 6)
        for _ in range(4):
            a, b = rng.choice(6, 2, replace=False)
            gap = (strength + suits)[a] - (strength + suits)[b]
            won = rng.random() < 1 / (1 + np.exp(-gap))
            winner = "tie" if rng.random() < 0.2 else "model_a" if won else "model_b"
            rows.append([f"p{prompt}", NAMES[a], NAMES[b], winner])
    write("battles.csv", ["prompt", "model_a", "model_b", "winner"], rows)


def labelled() -> None:
    """Two models on 600 examples with a judge's marks from 0 to 1; people marked 80 of them."""
    rng = np.random.default_rng(37)
    quality = rng.normal(0.6, 0.2, 600)
    marked = set(rng.choice(600, 80, replace=False).tolist())
    rows: list[list[object]] = []
    for name, gain, favour in (
        ("old", 0.0, 0.0),
        ("new", 0.05, 0.12),
    ):  # the judge likes the new one too much
        human = np.clip(quality + gain + rng.normal(0, 0.1, 600), 0, 1)
        judge = np.clip(0.2 + 0.7 * human + favour + rng.normal(0, 0.04, 600), 0, 1)
        rows += [
            [name, i, f"{human[i]:.2f}" if i in marked else "", f"{judge[i]:.2f}"]
            for i in range(600)
        ]
    write("labelled.csv", ["algorithm", "example", "human", "judge"], rows)


if __name__ == "__main__":
    leaderboard()
    battles()
    labelled()
