"""The two themes of evaltui, and the colour names that its stylesheets use beyond Textual's own."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="evaltui-dark",
    primary="#7aa7ff",
    secondary="#9cb8e8",
    accent="#c3a6ff",
    warning="#e8c96b",
    error="#ff8090",
    success="#7fd49b",
    foreground="#d9dee8",
    background="#11141b",
    surface="#171b24",
    panel="#222836",
    dark=True,
    variables={
        "quiet": "#98a2b4",
        "outcome-pass": "#7fd49b",
        "outcome-fail": "#ff8090",
        "outcome-review": "#e8c96b",
        "outcome-error": "#ffa268",
        "outcome-suspended": "#8fb6ff",
        "outcome-skipped": "#98a2b4",
        "cursor-row": "#2c3a57",
        "cursor-row-blurred": "#232a3a",
        "marked-row": "#2d2640",
        "line-old": "#2c1b22",
        "line-new": "#16291f",
        "word-old": "#6e2a3a",
        "word-new": "#1f5b3b",
        "block-cursor-text-style": "none",
    },
)

LIGHT = Theme(
    name="evaltui-light",
    primary="#1d55b0",
    secondary="#3b5f94",
    accent="#6a3fc0",
    warning="#755800",
    error="#b01f33",
    success="#176c31",
    foreground="#1d232e",
    background="#fbfcfd",
    surface="#f1f3f7",
    panel="#e2e7ef",
    dark=False,
    variables={
        "quiet": "#535d6d",
        "outcome-pass": "#176c31",
        "outcome-fail": "#b01f33",
        "outcome-review": "#6d5200",
        "outcome-error": "#9a400a",
        "outcome-suspended": "#1d55b0",
        "outcome-skipped": "#535d6d",
        "cursor-row": "#cfe0fb",
        "cursor-row-blurred": "#e1e6ee",
        "marked-row": "#e9e0fa",
        "line-old": "#fdeef0",
        "line-new": "#eaf7ee",
        "word-old": "#f7b9c2",
        "word-new": "#a9dfba",
        "block-cursor-text-style": "none",
    },
)
