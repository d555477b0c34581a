"""What a parser wanted at the furthest place it came to."""

from __future__ import annotations

from msgspec import Struct, field

from evaltui.ulx.tree import Span

_MOST_SHOWN = 4
_NOWHERE = Span(-1, -1)


class Furthest(Struct):
    """The furthest failure so far: its place in the source and what would have been right there.

    ``said`` is a sentence of its own that replaces the list of what was wanted.
    """

    place: Span = _NOWHERE
    wanted: dict[str, None] = field(default_factory=dict)
    found: str = ""
    said: str = ""
    hint: str = ""

    def want(self, what: str, place: Span, found: str) -> None:
        """Note that ``what`` was wanted where ``found`` stands."""
        if self.said or place.start < self.place.start:
            return
        if place.start > self.place.start:
            self.wanted = {}
            self.place, self.found, self.hint = place, found, ""
        self.wanted[what] = None

    def say(self, sentence: str, place: Span, hint: str) -> None:
        """Note a failure that is better told in a ``sentence``."""
        if not self.said:
            self.place, self.said, self.hint = place, sentence, hint

    def forget(self, earlier: Furthest) -> None:
        """Go back to what was known ``earlier``."""
        if not self.said:
            self.place, self.found, self.hint = earlier.place, earlier.found, earlier.hint
            self.wanted = dict(earlier.wanted)

    def copy(self) -> Furthest:
        """What is known now."""
        return Furthest(self.place, dict(self.wanted), self.found, self.said, self.hint)

    def sentence(self) -> str:
        """The failure in one sentence."""
        if self.said:
            return self.said
        wanted = list(self.wanted)[-_MOST_SHOWN:]
        listed = wanted[-1] if len(wanted) < 2 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"
        return f"expected {listed}, found {self.found}"
