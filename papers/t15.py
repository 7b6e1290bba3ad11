"""
T15's worked examples, as printed and as they should be: ``python -m papers.t15``.

Arithmetic without Monte Carlo error; where the source errs both its number and ours are shown.
"""

import numpy as np

import evenfold as ef
from papers._table import Cell, Claim, Table, arguments, printed, publish

RIGHT = (32, 28, 30, 30, 32)  # the list of example 1 that has the mean .76
FIRST_LIST = (32, 28, 30, 32, 28)
FOLD = 40
N, RIGHT_A, RIGHT_B = 100, 80, 84  # example 2
PRINTED_COUNTS, POSSIBLE_COUNTS = (30, 44, 26), (10, 84, 6)  # of y = −1, 0, 1


def example_1() -> Table:
    """One algorithm, five folds of 40."""
    whole = ef.infer.wong_proportion(RIGHT, n_test=FOLD)
    fold = ef.infer.wong_proportion(RIGHT, n_test=FOLD, averaging="fold")
    other = ef.infer.wong_proportion(FIRST_LIST, n_test=FOLD)
    s2 = float(fold.standard_error**2) * len(RIGHT)
    return Table(
        name="example-1",
        title="T15 example 1",
        note="200 instances in five folds, (32, 28, 30, 30, 32) right.",
        cells=[
            _cell("accuracy", "0.76", whole.value),
            _cell("accuracy by the first list, (32, 28, 30, 32, 28)", "0.76", other.value),
            _cell("variance, averaged over the data set", "0.000912", whole.standard_error**2),
            _cell("half-width over z", "0.030", whole.standard_error),
            _cell("variance of the fold accuracies", "0.0007", s2),
            _cell("half-width over t, averaged over folds", "0.012", fold.standard_error),
        ],
    )


def example_2() -> Table:
    """
    Return T15's example of two algorithms: leave-one-out on 100 instances, 80 and 84 right.

    T15 takes A − B, so signs turn.
    """
    z = ef.infer.wong_loo_independent_z(RIGHT_A, RIGHT_B, n=N)
    (down, _, up), (down_p, _, up_p) = POSSIBLE_COUNTS, PRINTED_COUNTS
    possible = ef.infer.wong_loo_matched_t(down, up, n=N)
    impossible = ef.infer.wong_loo_matched_t(down_p, up_p, n=N)
    return Table(
        name="example-2",
        title="T15 example 2",
        note="Leave-one-out on 100 instances, 80 (A) and 84 (B) right; A − B as in the source.",
        cells=[
            _cell("z of two proportions", "-0.7362", -z.statistic),
            _cell(
                "s² of y, counts (30, 44, 26) as printed", "0.16", impossible.standard_error**2 * N
            ),
            _cell("t, counts (30, 44, 26) as printed", "-1.0", -impossible.statistic),
            _cell("s² of y, counts (10, 84, 6)", "0.16", possible.standard_error**2 * N),
            _cell("t, counts (10, 84, 6)", "-1.0", -possible.statistic),
        ],
    )


def formulas() -> Table:
    """The two formulas that cannot be as printed, on the folds of example 1 and one more."""
    other = (33, 30, 30, 31, 33)
    a, b = np.array(RIGHT) / FOLD, np.array(other) / FOLD
    y = np.repeat((-1.0, 0.0, 1.0), POSSIBLE_COUNTS)
    variance = a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)
    welch = ef.infer.wong_kfold_independent_t(RIGHT, other, n_test=FOLD)
    without_root = float((b.mean() - a.mean()) / variance)
    doubled = ef.infer.wong_kfold_independent_t(RIGHT, other, n_test=2 * FOLD)
    half_scale = float((b.mean() - a.mean()) / 2 / (variance / 4))
    return Table(
        name="formulas",
        title="T15's formulas for s_y² and for the independent t",
        note="Fold counts of example 1 against (33, 30, 30, 31, 33).",
        claims=[
            Claim(
                says="s_y² = Σ(y − ȳ)/(n−1)",
                holds=False,
                here=f"that is {abs(np.sum(y - y.mean())) / (N - 1):.1f} for any data; with the "
                "square "
                f"{y.var(ddof=1):.2f}",
            ),
            Claim(
                says="independent t = (p̄_A − p̄_B)/(s_A²/k + s_B²/q)",
                holds=False,
                here=f"{without_root:.2f}, and {half_scale:.2f} if all accuracies are halved; with "
                f"the root {welch.statistic:.3f} and {doubled.statistic:.3f}, Welch's df "
                f"{welch.df:.2f}",
            ),
        ],
    )


def _cell(what: str, source: str, ours: object) -> Cell:
    return Cell(
        row=what, column="T15 → ours", source=printed(source), ours=float(np.asarray(ours)), se=0.0
    )


def main() -> None:
    arguments(str(__doc__), ["examples"])
    publish([example_1(), example_2(), formulas()])


if __name__ == "__main__":
    main()
