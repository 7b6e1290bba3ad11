"""What an estimate is about: which quantity, of whom, at which training size, and what varied."""

from typing import Literal, Self

Form = Literal["difference", "value", "other"]
Varied = Literal["data sets", "test points", "sources", "examples of these sources"]


class Estimand(str):
    """
    A sentence that knows its parts, so that nobody has to read it.

    Parameters
    ----------
    quantity : str
        What is compared, for example "F1"; the measure's own quantity where nothing is given.
    of : str
        Whose: "on a new source", "of the two models that were fitted".
    size : str or int
        The training size, in symbols or as a number.
    varied : {"data sets", "test points", "sources", "examples of these sources"}
        Over what the answer generalises.
    form : {"difference", "value", "other"}
        B − A, one algorithm alone, or what ``words`` say.
    words : str
        All of it but the size, for what is neither: a variance, a chance.

    Examples
    --------
    >>> about = Estimand(size="n/2")
    >>> about, about.form, about.varied
    ('expected difference B − A at training size n/2', 'difference', 'data sets')
    >>> about.at(75).alone()
    'expected value at training size 75'
    >>> about.at(75).named("error", baseline="tree", challenger="forest")
    'expected difference in error, forest − tree, at training size 75'
    >>> Estimand(quantity="F1", size=75).named("F1 score", challenger="forest")
    'F1 of forest at training size 75'
    """

    __slots__ = ("form", "of", "quantity", "size", "varied", "words")

    quantity: str
    of: str
    size: str
    varied: Varied
    form: Form
    words: str

    def __new__(
        cls,
        *,
        quantity: str = "",
        of: str = "",
        size: str | int = "",
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
        self = super().__new__(cls, _joined(what, of, size))
        self.quantity, self.of, self.size, self.words = quantity, of, str(size), words
        self.varied, self.form = varied, form
        return self

    def __reduce__(self) -> "tuple[object, tuple[dict[str, str]]]":
        return _made, ({name: getattr(self, name) for name in self.__slots__},)

    def _but(self, **changes: str) -> Self:
        known = {name: getattr(self, name) for name in self.__slots__}
        return type(self)(**{**known, **changes})

    def at(self, size: str | int) -> Self:
        """Return the same at a known training size."""
        return self._but(size=str(size))

    def alone(self) -> Self:
        """Return the same of one algorithm instead of two; what is no difference stays."""
        return self._but(form="value") if self.form == "difference" else self

    def counting(self, quantity: str) -> Self:
        """Return the same of another quantity: accuracy, where right predictions were counted."""
        return self._but(quantity=quantity)

    def named(self, measure: str, *, challenger: str, baseline: str | None = None) -> str:
        """Say it in the names of a comparison; ``measure`` are the words of its quantity."""
        what = self.quantity or measure
        lead = "" if self.quantity else "expected "
        if self.form == "other":
            return str(self)
        if self.form == "value" or baseline is None:
            return _joined(f"{lead}{what} of {challenger}", self.of, self.size)
        return _joined(f"{lead}difference in {what}, {challenger} − {baseline},", self.of, self.size)


def _joined(what: str, of: str, size: str | int) -> str:
    where = f" {of}" if of else ""
    return f"{what}{where} at training size {size}" if size != "" else f"{what}{where}"


def _made(parts: dict[str, str]) -> Estimand:
    """Make a pickled estimand again."""
    return Estimand(**parts)  # type: ignore[arg-type]  # the parts are those of an estimand
