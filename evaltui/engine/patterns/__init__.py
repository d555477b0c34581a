"""Regular expressions of validators: the reference's dialect, matched in linear time.

``syntax`` reads a pattern, ``characters`` says which characters a class holds, ``matcher`` answers
whether a pattern occurs in a text (runtime specification 12.7).
"""

from __future__ import annotations

from evaltui.engine.patterns.matcher import Pattern, compile_pattern
from evaltui.engine.patterns.syntax import PatternError

__all__ = ["Pattern", "PatternError", "compile_pattern"]
