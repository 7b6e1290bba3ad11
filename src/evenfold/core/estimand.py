"""What an estimate is about: which quantity, of whom, at which training size, and what varied."""

from typing import Any, Literal, Self

Form = Literal["difference", "value", "other"]
Varied = Literal[
    "data sets",
    "test points",
    "clusters",
    "runs",
    "runs and test points",
    "times",
    "sources",
    "examples of these sources",
]


class Estimand(str):
    """
    A sentence that knows its parts, so that nobody has to read it.

    Parameters
    ----------
    quantity : str
        What is compared, for example "F1"; the measure's own quantity where nothing is given.
    of : str
        Of what or where: "on a new source".
    size : str
        The training size in symbols; :meth:`at` says it in the sentence.
    varied : {"data sets", "test points", "clusters", "runs", "times", "sources", …}
        Over what the answer generalises.
    form : {"difference", "value", "other"}
        B − A, one algorithm alone, or what ``words`` say.
    words : str
        All of it but the size, for what is neither: a variance, a chance.

    Examples
    --------
    >>> about = Estimand(size="n/2")
    >>> about, about.size, about.form, about.varied
    ('expected difference B − A', 'n/2', 'difference', 'data sets')
    >>> about.at(75).alone()
    'expected value at training size 75'
    >>> Estimand(quantity="error").within(about).size
    'n/2'
    """

    __slots__ = ("form", "of", "quantity", "said", "size", "varied", "words")

    quantity: str
    of: str
    size: str
    varied: Varied
    form: Form
    words: str
    said: bool

    def __new__(
        cls,
        *,
        quantity: str = "",
        of: str = "",
        size: str = "",
        said: bool = False,
        varied: Varied = "data sets",
        form: Form = "difference",
        words: str = "",
    ) -> Self:
        form = "other" if words else form
        what = {
            "difference": f"difference of {quantity} B − A" if quantity else "expected difference B − A",
            "value": quantity or "expected value",
            "other": words,
        }[form]
        self = super().__new__(cls, _joined(what, of, size if said else ""))
        self.quantity, self.of, self.size, self.words = quantity, of, size, words
        self.varied, self.form, self.said = varied, form, said
        return self

    def __reduce__(self) -> "tuple[object, tuple[dict[str, Any]]]":
        return _made, ({name: getattr(self, name) for name in self.__slots__},)

    def _but(self, **changes: Any) -> Self:
        known = {name: getattr(self, name) for name in self.__slots__}
        return type(self)(**{**known, **changes})

    def at(self, size: str | int) -> Self:
        """Return the same at a training size, which the sentence then says."""
        return self._but(size=str(size), said=True)

    def within(self, design: "Estimand") -> Self:
        """Return the same with what it does not say, the size and what varied, as a design has them."""
        varied = design.varied if self.varied == "data sets" else self.varied
        return self._but(size=self.size or design.size, varied=varied)

    def alone(self) -> Self:
        """Return the same of one algorithm instead of two; what is no difference stays."""
        return self._but(form="value") if self.form == "difference" else self

    def counting(self, quantity: str) -> Self:
        """Return the same of another quantity: accuracy, where right predictions were counted."""
        return self._but(quantity=quantity)


def _joined(what: str, of: str, size: str) -> str:
    where = f" {of}" if of else ""
    return f"{what}{where} at training size {size}" if size else f"{what}{where}"


def _made(parts: dict[str, Any]) -> Estimand:
    """Make a pickled estimand again."""
    return Estimand(**parts)
