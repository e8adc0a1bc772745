"""The timeline of a report: an SVG bar chart with text for screen readers.

Invariant: there are at most `BARS` bars, and each has a text that says what it shows.
"""

from collections.abc import Iterator
from typing import Final

from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.report.timeline import Timeline, TimelinePart
from intent_lsp.formats.report.html_text import Html, joined, tag

BARS: Final = 72
"""Bars of the chart."""

_WIDE: Final = 1000
_HIGH: Final = 150
_LEFT: Final = 44
_BELOW: Final = 22
_GAP: Final = 2
_DAY: Final = 24
_WIDEST: Final = 48
_ORDER: Final = (ScopeValidation.FAIL, ScopeValidation.EXEMPT, ScopeValidation.PASS)
_SAID: Final = {
    ScopeValidation.PASS: "in scope (PASS)",
    ScopeValidation.EXEMPT: "exempt (EXEMPT)",
    ScopeValidation.FAIL: "out of scope (FAIL)",
}


def timeline_figure(line: Timeline) -> Html:
    """Return the edits over time as bars stacked by verdict, or a sentence if there are none."""
    if not line.parts:
        return tag("p", "There was no edit in this time.", class_="soft")
    top = max(part.edits for part in line.parts)
    picture = tag(
        "svg",
        tag("title", f"Edits over time, {_each(line.hours)} a bar"),
        *_axes(line, top),
        *_bars(line, top),
        viewBox=f"0 0 {_WIDE} {_HIGH + _BELOW}",
        role="img",
        aria_label=f"Edits over time, {_each(line.hours)} a bar, at most {top} in one",
    )
    said = f"Edits by verdict, {_each(line.hours)} a bar; times are UTC."
    return tag("figure", picture, tag("figcaption", said), _key())


def _each(hours: int) -> str:
    """Return a length of time as text: `2 hours`, `1 day`, `4 weeks`."""
    for unit, length in (("week", 7 * _DAY), ("day", _DAY)):
        if hours % length == 0:
            return _counted(hours // length, unit)
    return _counted(hours, "hour")


def _counted(count: int, unit: str) -> str:
    return f"1 {unit}" if count == 1 else f"{count} {unit}s"


def _axes(line: Timeline, top: int) -> Iterator[Html]:
    for y in (6, _HIGH):
        yield tag("line", x1=_LEFT, x2=_WIDE, y1=y, y2=y, class_="axis")
    yield tag("text", f"{top:,}", x=_LEFT - 6, y=10, text_anchor="end")
    yield tag("text", "0", x=_LEFT - 6, y=_HIGH, text_anchor="end")
    yield tag("text", _label(line.parts[0], line.hours), x=_LEFT, y=_HIGH + 16)
    if len(line.parts) > 1:
        last = _label(line.parts[-1], line.hours)
        end = _LEFT + int(_step(line) * len(line.parts))
        yield tag(
            "text", last, x=end, y=_HIGH + 16, text_anchor="end" if end > _WIDE // 3 else "start"
        )


def _label(part: TimelinePart, hours: int) -> str:
    return part.start if hours < _DAY else part.start.partition(" ")[0]


def _step(line: Timeline) -> float:
    """Return the width of one bar with its gap."""
    return min((_WIDE - _LEFT) / len(line.parts), _WIDEST)


def _bars(line: Timeline, top: int) -> Iterator[Html]:
    step = _step(line)
    for place, part in enumerate(line.parts):
        if part.edits:
            x = _LEFT + step * place
            told = ", ".join(
                f"{part.counts[verdict]} {verdict.value}"
                for verdict in reversed(_ORDER)
                if part.counts.get(verdict)
            )
            yield tag(
                "g", tag("title", f"{part.start}: {told}"), *_stack(part, top, x, step - _GAP)
            )


def _stack(part: TimelinePart, top: int, x: float, width: float) -> Iterator[Html]:
    """Yield the parts of a bar from the bottom, violations first.

    Each is high enough to be seen.
    """
    y = float(_HIGH)
    for verdict in _ORDER:
        count = part.counts.get(verdict, 0)
        if count:
            height = max((_HIGH - 6) * count / top, 1.5)
            y -= height
            yield tag(
                "rect",
                x=f"{x:.1f}",
                y=f"{max(y, 0):.1f}",
                width=f"{width:.1f}",
                height=f"{height:.1f}",
                class_=verdict.value.lower(),
            )


def _key() -> Html:
    entries = (tag("li", _swatch(verdict), said) for verdict, said in _SAID.items())
    return tag("ul", joined(entries), class_="key")


def _swatch(verdict: ScopeValidation) -> Html:
    square = tag("rect", width=10, height=10, class_=verdict.value.lower())
    return tag("svg", square, viewBox="0 0 10 10", aria_hidden="true")
