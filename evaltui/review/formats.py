"""Durations and money as people read them."""

from __future__ import annotations

from decimal import Decimal


def duration_text(milliseconds: float) -> str:
    """``7 ms``, ``1.2 s`` or ``3m05s``; empty for nothing."""
    if milliseconds <= 0:
        return ""
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms" if milliseconds >= 1 else "<1 ms"
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest:02}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02}m"


def cost_text(cost: Decimal | None) -> str:
    """US dollars with as many digits as matter; empty when unknown or nothing."""
    if not cost:
        return ""
    if cost < Decimal("0.00005"):
        return "<$0.0001"
    return f"${cost:.2f}" if cost >= Decimal("0.995") else f"${cost:.4f}"


def count_text(count: int) -> str:
    """``940``, ``1.2k``, ``3.4M``."""
    if count < 1_000:
        return str(count)
    if count < 999_950:
        return f"{count / 1_000:.1f}k"
    return f"{count / 1_000_000:.1f}M"
