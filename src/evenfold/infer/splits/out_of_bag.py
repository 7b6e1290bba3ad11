"""The .632 and .632+ bootstrap: errors outside the bag, mended by the apparent error (Efron 1983, 1997)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import number
from evenfold.core.estimate import Floats, Normal
from evenfold.core.partition import OUT_OF_BAG
from evenfold.infer._base import Pivot, method
from evenfold.infer._valid import SAMPLES
from evenfold.infer.inputs import BootstrapRuns

_SHARE = float(1 - np.exp(-1))  # of the examples that a bootstrap sample holds: .632


@method(
    valid=SAMPLES,
    conservative="its standard error holds the luck of B samples, too, several times the rest where B is "
    "below n; of one algorithm that fits its data closely (1-NN, trees) the value is too small",
    source="Efron 1983; Efron 1997",
    recommended=False,
    default_for=(OUT_OF_BAG,),
    no_card="the lab's designs draw without replacement; its page says how it erred",
)
def bootstrap_632(out_of_bag: Floats, apparent: Floats, counts: Any) -> Pivot:
    """
    Compare two algorithms by the .632 bootstrap.

    *Formula.* .368·apparent + .632·Err⁽¹⁾, variance Σ D_i² (Efron and Tibshirani's eq. 36), reference N(0,
    1).

    *Validity.* For comparison only. The mean of losses outside the bag is about models of fewer different
    examples, the apparent one is too small, and .632 mixes them; for learners that fit their data perfectly
    (1-nn, trees) the mix is too small, see :func:`bootstrap_632_plus`. Conservative for the difference of
    two: eq. 36 adds the luck of B samples to the spread of data sets. At n = 200 its variance was 5.0, 2.1
    and 1.4 times the true one with B = 50, 200 and 800 (two equal least-squares classifiers; 13 and 4.2 times
    with B = 50 and 200 for 1-NN), and it erred 0 of 400, .010 ± .005, .010 ± .007 at .05.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.multinomial(30, np.full(30, 1 / 30), size=50)
    >>> d = rng.normal(-0.2, 1.0, size=(50, 30))
    >>> e = ef.infer.bootstrap_632(d, d[0], counts)
    >>> bool(e.value < 0), e.estimand
    (True, 'expected difference B − A at training size n')
    """
    found = _Errors(out_of_bag, apparent, counts)
    return Pivot(*found.mixed(_SHARE), Normal())


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BootstrapError:
    """
    The error of one algorithm by the .632+ bootstrap.

    Attributes
    ----------
    value, standard_error : arrays
        The estimate, and its standard error with the weight taken as known.
    weight : array
        ω, the weight of the error outside the bag, from .632 to 1.
    """

    value: Floats
    standard_error: Floats
    weight: Floats


def bootstrap_632_plus(
    out_of_bag: Any, apparent: Any, counts: Any, *, no_information: float
) -> BootstrapError:
    """
    Estimate the error of one algorithm by the .632+ bootstrap.

    Parameters
    ----------
    out_of_bag, apparent, counts : arrays of shape (..., B, n), (..., n) and (B, n)
        As in :func:`bootstrap_632`, the losses of one algorithm.
    no_information : float
        γ, the mean loss if predictions and targets had nothing to do with each other; for classes
        1 − Σ p_k·q_k with the shares of classes among targets and among predictions.

    Returns
    -------
    BootstrapError

    Notes
    -----
    The weight ω = .632/(1 − .368·R̂) grows with the relative overfitting R̂ = (Err⁽¹⁾ − err)/(γ − err).

    *Validity.* Nearly unbiased for the error at the full size. As an interval it leaves the spread of ω out,
    which makes it liberal, and holds the luck of B samples, which makes it conservative unless B is several
    times n. For comparison only, and no method of ``compare``: γ needs the predictions, and a run keeps what
    they cost.

    References
    ----------
    Efron and Tibshirani (1997), JASA 92.

    Examples
    --------
    >>> import numpy as np
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.multinomial(30, np.full(30, 1 / 30), size=50)
    >>> wrong = rng.random((50, 30)) < 0.4
    >>> e = ef.infer.bootstrap_632_plus(wrong, np.zeros(30), counts, no_information=0.5)
    >>> bool(0.632 < e.weight < 1), bool(0.3 < e.value < 0.45)
    (True, True)
    """
    names = "out_of_bag", "apparent", "counts"
    found = _Errors(*BootstrapRuns().check(names, (out_of_bag, apparent, counts)))
    weight = found.weight(number("no_information", no_information))
    value, variance = found.mixed(weight)
    return BootstrapError(value=value, standard_error=np.sqrt(variance), weight=weight)


class _Errors:
    """Errors outside the bag and apparent, and what each example is worth to both."""

    def __init__(self, losses: Floats, apparent: Floats, counts: Any) -> None:
        n, out = counts.shape[1], counts == 0
        q = np.where(out, losses, 0.0)
        each = q.sum(axis=-2) / out.sum(axis=0)  # Ê_i
        self.outside, self.apparent = each.mean(axis=-1), apparent.mean(axis=-1)
        # Efron and Tibshirani (1997), eq. 36: what more weight on an example would do
        drawn = (counts - counts.mean(axis=0)) / out.sum(axis=0)
        own = (2 + 1 / (n - 1)) * (each - self.outside[..., None]) / n
        # the mean loss is taken off first, so that a constant moves nothing but the value
        centred = np.where(out, losses - self.outside[..., None, None], 0.0).sum(axis=-1) / n
        self.of_outside = own + centred @ drawn
        self.of_apparent = (apparent - self.apparent[..., None]) / n

    def weight(self, gamma: float) -> Floats:
        """ω of the .632+ rule, with the error outside the bag kept at most γ."""
        outside, room = np.minimum(self.outside, gamma), gamma - self.apparent
        over = (outside > self.apparent) & (room > 0)
        R = np.where(over, (outside - self.apparent) / np.where(room > 0, room, 1.0), 0.0)
        return np.asarray(_SHARE / (1 - (1 - _SHARE) * np.clip(R, 0.0, 1.0)))[()]

    def mixed(self, weight: Any) -> tuple[Floats, Floats]:
        """Value and variance with this weight of the error outside the bag."""
        w = np.asarray(weight)
        value = w * self.outside + (1 - w) * self.apparent
        influence = w[..., None] * self.of_outside + (1 - w)[..., None] * self.of_apparent
        return value, np.square(influence).sum(axis=-1)
