"""
Battles: strengths of many models from who won against whom, with ties, clustered by prompt.

Bradley and Terry's model with Davidson's ties is fitted by maximum likelihood. Battles about one
prompt are correlated, and so are those that one judge decided, so the covariance is a sandwich over
these clusters.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse, refuse_value, short_repr
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.infer._arrays import finite

Codes = NDArray[np.integer]

ELO = 400 / np.log(10)  # points of a rating per unit of log strength
TIES = ("davidson", "split")
_STEPS = 200
_CLOSE = 1e-10
FEW_JUDGES = 10  # with fewer, nothing is known of further judges


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BradleyTerry:
    """
    The strengths of models, estimated from their battles.

    Attributes
    ----------
    strength : array (models,)
        Log strengths with mean 0: i beats j with odds exp(strength[i] − strength[j]), ties apart.
    covariance : array (models, models)
        The covariance of the strengths, a sandwich over clusters of battles.
    tie : float
        Davidson's ν: a tie of two equals is ν times as likely as a win of one of them; 0 without
        ties.
    battles, clusters : int
        How many battles and how many clusters there are; clusters vary independently.

    Examples
    --------
    Pass ``strength`` and ``covariance`` to :func:`rank_sets_of`.
    """

    strength: Floats
    covariance: Floats
    tie: float
    battles: int
    clusters: int

    @property
    def standard_error(self) -> Floats:
        """The standard error of each strength against the mean of all."""
        return np.sqrt(np.diag(self.covariance))


def bradley_terry(
    first: Any,
    second: Any,
    outcome: Any,
    *,
    prompts: Any = None,
    judges: Any = None,
    ties: str = "davidson",
) -> BradleyTerry:
    """
    Estimate the strengths of models from their battles.

    Parameters
    ----------
    first, second : int arrays (battles,)
        The two models of every battle, numbered from 0.
    outcome : array (battles,)
        1 where the first won, 0 where the second did, ½ for a tie.
    prompts, judges : arrays (battles,), optional
        The prompt of each battle, and its judge; battles that share a prompt or a judge are
        correlated. With fewer than ten judges the answer is about these judges.
    ties : {"davidson", "split"}
        Ties as an outcome of their own (Davidson 1970), or as half a win of each.

    Returns
    -------
    BradleyTerry

    Raises
    ------
    NotApplicable
        If the likelihood has no maximum, because some models never lost to others, not even tied.

    Notes
    -----
    *Formula.* With δ = β_i − β_j and N = e^{δ/2} + e^{−δ/2} + ν: i wins with chance e^{δ/2}/N, they
    tie with ν/N. Covariance H⁻¹·M·H⁻¹ with the information H and M = G/(G−1)·Σ_g s_g s_g' of the
    scores of each cluster g; of prompts and judges at once M_prompts + M_judges − M_both (Cameron,
    Gelbach, Miller 2011).

    *Validity.* The answer is about new prompts of this kind (and judges, if there are ten or more).
    The sandwich covariance does not need the model to be right: if no single strength explains all
    battles, these are the strengths that describe this mix of battles best.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39; Davidson (1970), JASA 65; Ford (1957), American
    Mathematical Monthly 64, for when there is a maximum; Chiang et al. (2024), Chatbot Arena, for
    sandwiches of battles.

    Examples
    --------
    >>> import evenfold as ef
    >>> fit = ef.infer.bradley_terry([0] * 10, [1] * 10, [1, 1, 1, 1, 1, 1, 0, 0, 0.5, 0.5])
    >>> (fit.strength[0] - fit.strength[1]).round(6)  # log(6 / 2)
    np.float64(1.098612)
    """
    one_of("ties", ties, TIES)
    a, b, y = _battles(first, second, outcome)
    wins, tied = _counts(a, b, y)
    models = len(wins)
    _require_maximum(wins, tied)
    beta, log_tie = _maximum(wins, tied, split=ties == "split")
    nu = 0.0 if log_tie is None else float(np.exp(log_tie))
    scores = _scores(beta, nu, (a, b, y), with_ties=log_tie is not None)
    inverse = np.linalg.inv(_derivatives(beta, log_tie, wins, tied)[1])
    middle, clusters = _middle(scores, prompts, judges, len(y))
    covariance = (inverse @ middle @ inverse)[:models, :models]
    return BradleyTerry(
        strength=beta, covariance=covariance, tie=nu, battles=len(y), clusters=clusters
    )


def connected_groups(first: Any, second: Any, outcome: Any) -> NDArray[np.intp]:
    """
    Return the group of each model, 0 for the largest one inside which strengths can be estimated.

    Models are in one group if a chain of wins and ties leads from each to the other.

    Examples
    --------
    >>> connected_groups([0, 1, 2], [1, 0, 0], [1, 1, 1]).tolist()  # nobody beats 2
    [0, 0, 1]
    """
    return _groups(*_counts(*_battles(first, second, outcome)))


def _battles(first: Any, second: Any, outcome: Any) -> tuple[Codes, Codes, Floats]:
    a = _model_numbers("first", first)
    b = _model_numbers("second", second)
    y = finite("outcome", outcome)
    if b.shape != a.shape:
        refuse(
            "second",
            f"second must have one model per battle ({len(a)}), as first has, but got {len(b)}.",
        )
    if (a == b).any():
        refuse(
            "second",
            f"second must be another model than the first but got {a[(a == b).argmax()]} for both.",
        )
    if y.shape != a.shape or not np.isin(y, (0.0, 0.5, 1.0)).all():
        refuse_value("outcome", outcome, "1, 0 or 0.5 for every battle")
    return a, b, y


def _model_numbers(name: str, values: Any) -> Codes:
    """Check numbers of models from 0; larger ones than battles allow are refused."""
    try:
        codes = np.asarray(values)
    except (ValueError, TypeError, OverflowError):  # lists of several lengths and the like
        codes = np.zeros(0)
    if codes.dtype.kind not in "iu" or codes.ndim != 1 or not len(codes):
        refuse_value(name, values, "numbers of models from 0, one per battle,")
    if codes.min() < 0 or codes.max() >= 2 * len(codes):
        refuse_value(name, values, f"numbers of models from 0 to {2 * len(codes) - 1}")
    return codes


def _counts(a: Codes, b: Codes, y: Floats) -> tuple[Floats, Floats]:
    """Count how often each model won against each, and how often they tied."""
    models = int(max(a.max(), b.max())) + 1

    def count_pairs(rows: Codes, columns: Codes) -> Floats:
        cells = rows.astype(np.int64) * models + columns
        return np.bincount(cells, minlength=models**2).reshape(models, models).astype(float)

    wins = count_pairs(a[y == 1], b[y == 1]) + count_pairs(b[y == 0], a[y == 0])
    tied = count_pairs(a[y == 0.5], b[y == 0.5])
    return wins, tied + tied.T


def _groups(wins: Floats, tied: Floats) -> NDArray[np.intp]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(csr_array((wins + tied > 0).astype(int)), connection="strong")
    order = np.argsort(-np.bincount(label), kind="stable")
    return np.argsort(order)[label]


def _require_maximum(wins: Floats, tied: Floats) -> None:
    """Require a chain of wins or ties from every model to every other (Ford)."""
    apart = np.flatnonzero(_groups(wins, tied))
    if len(apart):
        raise NotApplicable(
            f"The strengths of models {', '.join(map(str, apart[:5].tolist()))} cannot be "
            "estimated: against the others they only won, only lost, or never met them. Leave them "
            "out, or wait for more battles."
        )


def _chances(delta: Floats, nu: float) -> tuple[Floats, Floats]:
    """Return the chances of a win and of a tie where log strengths differ by ``delta``."""
    half = np.exp(-np.abs(delta) / 2)  # at most 1, so that nothing overflows
    win = np.where(delta >= 0, 1.0, half**2)
    tie = nu * half
    total = 1.0 + half**2 + tie
    return win / total, tie / total


def _pair_chances(beta: Floats, log_tie: float | None) -> tuple[Floats, Floats]:
    """Return the chances of a win and of a tie of every two models."""
    return _chances(beta[:, None] - beta, 0.0 if log_tie is None else float(np.exp(log_tie)))


def _maximum(wins: Floats, tied: Floats, *, split: bool) -> tuple[Floats, float | None]:
    """Maximise the likelihood, which is concave, by Newton's steps, halved if too long."""
    models = len(wins)
    if split:
        wins = wins + tied / 2
        tied = np.zeros_like(tied)
    beta = np.zeros(models)
    log_tie = float(np.log(tied.sum() / wins.sum())) if tied.any() else None
    best = _likelihood(beta, log_tie, wins, tied)
    for _ in range(_STEPS):
        gradient, information = _derivatives(beta, log_tie, wins, tied)
        step = np.linalg.solve(information, gradient)
        if np.abs(step).max() < _CLOSE:
            break
        scale = 1.0
        while scale > 1e-6:
            further = beta + scale * step[:models]
            tie = None if log_tie is None else log_tie + scale * float(step[models])
            value = _likelihood(further, tie, wins, tied)
            if value >= best - 1e-12 * abs(best):
                break
            scale /= 2
        beta = further - further.mean()
        log_tie = tie
        best = value
    return beta, log_tie


def _likelihood(beta: Floats, log_tie: float | None, wins: Floats, tied: Floats) -> float:
    win, tie = _pair_chances(beta, log_tie)
    total = float((wins * np.log(np.where(wins > 0, win, 1.0))).sum())
    if log_tie is not None:
        total += float((tied * np.log(np.where(tied > 0, tie, 1.0))).sum() / 2)
    return total


def _derivatives(
    beta: Floats, log_tie: float | None, wins: Floats, tied: Floats
) -> tuple[Floats, Floats]:
    """
    Return the gradient and Fisher's information, which is the observed one in this family.

    The likelihood does not change if all strengths move alike. In that direction, to which scores
    and gradients are orthogonal, the information is filled so that it can be inverted.
    """
    models = len(beta)
    win, tie = _pair_chances(beta, log_tie)
    met = wins + wins.T + tied
    expected = win + tie / 2
    gradient = (wins + tied / 2 - met * expected).sum(axis=1)
    spread = met * (win + tie / 4 - expected**2)
    information = np.diag(spread.sum(axis=1)) - spread
    if log_tie is not None:
        gradient = np.append(gradient, (tied - met * tie).sum() / 2)
        mixed = (met * tie * (0.5 - expected)).sum(axis=1)[:, None]
        of_tie = np.array([[(met * tie * (1 - tie)).sum() / 2]])
        information = np.block([[information, mixed], [mixed.T, of_tie]])
    information[:models, :models] += np.trace(information) / models**2
    return gradient, information


def _scores(
    beta: Floats, nu: float, battles: tuple[Codes, Codes, Floats], *, with_ties: bool
) -> Any:
    """Return the score of every battle, a sparse array (battles, models and the tie)."""
    from scipy.sparse import csr_array

    a, b, y = battles
    win, tie = _chances(beta[a] - beta[b], nu)
    excess = y - win - tie / 2
    columns = [a, b]
    entries = [excess, -excess]
    if with_ties:
        columns.append(np.full(len(y), len(beta)))
        entries.append((y == 0.5) - tie)
    rows = np.tile(np.arange(len(y)), len(entries))
    return csr_array(
        (np.concatenate(entries), (rows, np.concatenate(columns))),
        shape=(len(y), len(beta) + with_ties),
    )


def _middle(scores: Any, prompts: Any, judges: Any, battles: int) -> tuple[Floats, int]:
    """Return Σ s_g s_g' over clusters of prompts and judges, and the number of clusters."""
    prompt = np.arange(battles) if prompts is None else _number_labels("prompts", prompts, battles)
    by_prompt, prompt_count = _sums_by_cluster(scores, prompt)
    if judges is None:
        return by_prompt, prompt_count
    judge = _number_labels("judges", judges, battles)
    judge_count = int(judge.max()) + 1
    if judge_count < FEW_JUDGES:
        return by_prompt, prompt_count
    by_judge, _ = _sums_by_cluster(scores, judge)
    both = np.unique(prompt * judge_count + judge, return_inverse=True)[1]
    # inclusion and exclusion of the battles that share both
    middle = by_prompt + by_judge - _sums_by_cluster(scores, both)[0]
    size, axes = np.linalg.eigh(middle)
    return (axes * np.maximum(size, 0.0)) @ axes.T, min(prompt_count, judge_count)


def _sums_by_cluster(scores: Any, cluster: Codes) -> tuple[Floats, int]:
    from scipy.sparse import csr_array

    count = int(cluster.max()) + 1
    if count < 2:
        refuse("prompts", f"prompts must hold at least two different prompts but got {count}.")
    members = csr_array(
        (np.ones(len(cluster)), (cluster, np.arange(len(cluster)))), shape=(count, len(cluster))
    )
    sums = members @ scores
    return (sums.T @ sums).toarray() * count / (count - 1), count


def _number_labels(name: str, values: Any, battles: int) -> Codes:
    try:
        labels = np.asarray(values)
        codes = np.unique(labels, return_inverse=True)[1]
    except (ValueError, TypeError):  # lists of several lengths, or names that have no order
        labels = np.empty(0)
    if labels.shape != (battles,):
        refuse(
            name,
            f"{name} must have one name or number per battle ({battles}) but got "
            f"{short_repr(values)}.",
        )
    return codes.astype(np.int64)
