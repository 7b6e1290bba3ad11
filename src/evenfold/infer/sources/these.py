"""The mean over these K sources, as if no other source will ever matter (G13)."""

from evenfold.core.estimate import Estimand, Floats, StudentT
from evenfold.infer._base import Pivot, method
from evenfold.infer._blocks import summed
from evenfold.infer._valid import EACH_SOURCE


@method(
    valid=EACH_SOURCE,
    estimand=Estimand(of="averaged over these sources,", varied="examples of these sources"),
    depends="θB has a bias of either sign; right for these sources, far too narrow for a new one",
    source="G13 eq. 12, θB, as a test",
    recommended=True,
)
def sources_these_t(losses: list[Floats]) -> Pivot:
    """
    Test the mean over these K sources, as if no other source will ever matter.

    *Formula.* Mean of the source means, variance θB = 2W, reference t with Welch's degrees of freedom of W =
    (1/K²)·Σ S_k²/M_k.

    *Validity.* About new examples of *these* sources, each predicted by a model trained on the K − 1 others.
    For a new source it is liberal without limit: the interval shrinks to a point as the sources grow, while
    sources go on to differ. Use :func:`sources_new_t` there. For these sources it leans as θB does: on
    product reviews, 25 to 400 per source, it covered .954 to .985 for errors, .980 to .993 for differences.

    >>> e = ef.infer.sources_these_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4, 0.6]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6), round(float(e.df), 6)
    (0.466667, 0.086066, 3.846154)
    """
    b = summed(losses)
    return Pivot(b.estimate, 2 * b.within, StudentT(b.within_df))
