"""Run LLM evals, triage the red ones in a terminal, and gate CI on signed decisions."""

__version__ = "0.1.0"
