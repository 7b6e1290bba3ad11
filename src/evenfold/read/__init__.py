"""Readers: from files, tables and texts of other programs to values of this one."""

from evenfold.read.estimators import estimator_from
from evenfold.read.tables import Table, read_table
from evenfold.read.tagged import TaggedText, read_conll, read_words

__all__ = ["Table", "TaggedText", "estimator_from", "read_conll", "read_table", "read_words"]
