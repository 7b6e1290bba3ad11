"""What some learners give away: the losses of examples they did not see, from one fit."""

from evenfold.run.leaving_out.api import LeftOut, left_out

__all__ = ["LeftOut", "left_out"]
