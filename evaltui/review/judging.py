"""What the runner asks of reviews: what a case means, its row, and the cases that are gone."""

from evaltui.review.case_judging import judge_case
from evaltui.review.removal import removed_cases
from evaltui.review.summary import summarise

__all__ = ["judge_case", "removed_cases", "summarise"]
