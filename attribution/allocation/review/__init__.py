"""What rules do, told to those who write them: what each caught, what a change moves, what should be looked at."""

from attribution.allocation.review.caught import Caught, answered, caught
from attribution.allocation.review.lint import Remark, lint
from attribution.allocation.review.moved import moved
from attribution.allocation.review.proposals import Proposal, propose

__all__ = ["Caught", "Proposal", "Remark", "answered", "caught", "lint", "moved", "propose"]
