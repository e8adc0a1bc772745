"""A YAML text while it is read: its positions, and the findings collected so far.

Invariant: reading goes on after a finding. A value that could not be read is left out.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, RelatedSpan, Severity, Span, TextChange
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.compose import Composed
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import (
    MappingNode,
    Scalar,
    SequenceNode,
    YamlNode,
    double_quoted,
    spelled_like,
)

_MARK_NOTE = re.compile(r"[|>]\S*([ \t]+#[^\r\n]*)")
_QUIETER = {
    FileCode.OTHER_FORM: Severity.HINT,
    FileCode.UNKNOWN_KEY: Severity.WARNING,
    FileCode.UNKNOWN_STATUS: Severity.WARNING,
    FileCode.EMPTY_SCOPE: Severity.WARNING,
    FileCode.BAD_DATE: Severity.WARNING,
    FileCode.ID_STYLE: Severity.HINT,
}
_KINDS = {Scalar: "one value", SequenceNode: "a list", MappingNode: "a mapping"}


class YamlDocument:
    """A YAML text with the findings on it. Converts offsets in the text to spans."""

    def __init__(self, text: str) -> None:
        self.text, self.places = text, TextPositions(text)
        self.findings: list[Finding] = []

    def span(self, node: YamlNode) -> Span:
        """Return the span that a node takes in the text."""
        return self.places.span(node.start, node.end)

    def source(self, node: YamlNode) -> str:
        """Return the part of the text that a node was read from, with its quotes."""
        return self.text[node.start : node.end]

    def change(self, start: int, end: int, new_text: str) -> TextChange:
        """Return the change that replaces the text between two offsets by `new_text`."""
        return TextChange(self.places.span(start, end), new_text)

    def add(
        self,
        code: FileCode,
        message: str,
        at: YamlNode | Span,
        fixes: Sequence[Fix] = (),
        related: Sequence[RelatedSpan] = (),
    ) -> None:
        """Add a finding to `findings`, at the place of a node or at a span.

        The severity of the finding follows from its code. `fixes` and `related` are attached to it.
        """
        finding = Finding(
            code=code,
            severity=_QUIETER.get(code, Severity.ERROR),
            message=message,
            span=at if isinstance(at, Span) else self.span(at),
            fixes=tuple(fixes),
            related=tuple(related),
        )
        self.findings.append(finding)

    def wrong_type(self, node: YamlNode, wanted: str, fixes: Sequence[Fix] = ()) -> None:
        """Add a finding at a node that does not have the expected type.

        `wanted` names the expected type in the message.
        """
        kind = "nothing" if node.null else _KINDS[type(node.content)]
        message = f"expected {wanted}, found {kind}"
        self.add(FileCode.WRONG_TYPE, message, node, fixes)

    def other_form(self, message: str, at: YamlNode | Span, fix: Fix | None) -> None:
        """Add a hint that a value is understood but is not written in the normal form.

        `fix` is the fix that gives the value its normal form, or None if there is none. It must
        keep what the file means: *Fix all* applies it.
        """
        fixes = (replace(fix, safe=True),) if fix else ()
        self.add(FileCode.OTHER_FORM, message, at, fixes)

    def rename(self, key: Scalar, name: str) -> Fix:
        """Return the fix that renames a key to `name`. The key keeps its quotes."""
        change = self.change(key.start, key.end, spelled_like(key.style, name))
        return Fix(f"Rename to `{name}`", (change,))

    def respell(self, node: YamlNode, value: str, title: str) -> Fix:
        """Return the fix `title` that replaces a node by `value`, quoted like the node if safe.

        In the place of a list, a mapping, an alias or an unquoted glob, the value has no quotes
        unless it needs them.
        """
        style = "" if not isinstance(node, Scalar) or node.unquoted else node.style
        return Fix(title, (self.replaced(node, spelled_like(style, value)),))

    def replaced(self, node: YamlNode, new_text: str) -> TextChange:
        """Return the change that replaces a node by YAML source without a line end.

        Of block text, the line ends at its end stay, and so does a comment behind its `|` or `>`.
        """
        end, source = node.end, self.source(node)
        if isinstance(node, Scalar) and node.block:
            note = _MARK_NOTE.match(source)
            end, new_text = node.start + len(source.rstrip()), new_text + (note[1] if note else "")
        return self.change(node.start, end, new_text)

    def take_composed(self, composed: Composed) -> None:
        """Add a finding for each duplicate key and each unquoted glob in `composed`.

        `composed` holds the nodes of this text.
        """
        for first, again in composed.duplicates:
            self.add(
                FileCode.YAML_DUPLICATE_KEY,
                f"the key `{again.value}` is given twice; only the first one is used",
                again,
                related=(RelatedSpan(span=self.span(first), message="this first key is used"),),
            )
        for start, source in composed.globs.items():
            self._note_glob(start, source)

    def _note_glob(self, start: int, source: str) -> None:
        end = start + len(source)
        change = self.change(start, end, double_quoted(source))
        fix = Fix("Quote it", (change,), safe=True)
        message = (
            f"in YAML, {source} without quotes does not mean this text; put the glob in quotes"
        )
        span = self.places.span(start, end)
        self.add(FileCode.YAML_UNQUOTED_GLOB, message, span, (fix,))


def problem_findings(text: str, problem: YamlProblem) -> tuple[Finding, ...]:
    """Return, as the only item, the finding that says why a text is not read."""
    # Index lines only up to the problem: a text over the limit may have millions of them.
    reading = YamlDocument(text[: problem.end])
    related: tuple[RelatedSpan, ...] = ()
    if problem.context is not None:
        start, message = problem.context
        span = reading.places.span(start, min(start + 1, len(reading.text)))
        related = (RelatedSpan(span=span, message=message),)
    span = reading.places.span(problem.start, problem.end)
    reading.add(problem.code, problem.message, span, related=related)
    return tuple(reading.findings)


def text_of(reading: YamlDocument, node: YamlNode) -> str | None:
    """Return the text of a single value, or None if the value is null.

    An alias stands for its target. For a list or a mapping, add a finding to `reading` and return
    None.
    """
    content = node.content
    if not isinstance(content, Scalar):
        reading.wrong_type(node, "one value")
        return None
    return None if content.null else content.value


def texts_of(reading: YamlDocument, node: YamlNode) -> tuple[tuple[YamlNode, str], ...]:
    """Return the items of a list of single values: for each item, its node and its text.

    An item that is empty (a dash alone), a list or a mapping gets a finding and is left out. One
    that YAML reads as null, such as `~`, is read as its text and gets a hint. A null node gives an
    empty result. Any other node that is not a list gets a finding and gives an empty result too.
    """
    content = node.content
    if node.null:
        return ()
    if not isinstance(content, SequenceNode):
        reading.wrong_type(node, "a list", listed(reading, node))
        return ()
    return tuple(_items_of(reading, content))


def _items_of(reading: YamlDocument, listing: SequenceNode) -> Iterator[tuple[YamlNode, str]]:
    for item in listing.items:
        content = item.content
        if isinstance(content, Scalar) and (content.value or content.style):
            if content.null:
                _note_null(reading, item, content)
            yield item, content.value
        else:
            reading.wrong_type(item, "one value")


def _note_null(reading: YamlDocument, item: YamlNode, content: Scalar) -> None:
    """Add a hint on a text that YAML reads as no value, such as `~`."""
    fix = None
    if item is content:
        quoted = double_quoted(content.value)
        fix = Fix("Quote it", (reading.change(content.start, content.end, quoted),))
    message = f"in YAML, {content.value} without quotes is no value; here it is read as text"
    reading.other_form(message, item, fix)


def listed(reading: YamlDocument, node: YamlNode) -> tuple[Fix, ...]:
    """Return, as the only item, the fix that makes a single value a list with that value.

    Return an empty tuple if the node is not a single value on one line.
    """
    if not isinstance(node, Scalar) or node.block:
        return ()
    source = reading.source(node)
    if "\n" in source or "\r" in source:
        return ()
    text = source if node.style else double_quoted(node.value)
    return (Fix("Make the value a list", (reading.change(node.start, node.end, f"[{text}]"),)),)
