"""One reading of a YAML file: its text, its places, and what has been found in it so far.

Invariant: reading goes on after a finding; what could not be read is left out.
"""

from collections.abc import Iterator, Sequence

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, RelatedSpan, Severity, Span, TextChange
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.compose import Composed
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, content_of
from intent_lsp.formats.yaml.scalars import double_quoted, spelled_like

_QUIETER = {
    FileCode.OTHER_FORM: Severity.HINT,
    FileCode.UNKNOWN_KEY: Severity.WARNING,
    FileCode.UNKNOWN_STATUS: Severity.WARNING,
    FileCode.EMPTY_SCOPE: Severity.WARNING,
}
_KINDS = {Scalar: "one value", SequenceNode: "a list", MappingNode: "a mapping"}


class YamlDocument:
    """Collects findings while a text is read; spans are of that text."""

    def __init__(self, text: str) -> None:
        self.text, self.places = text, TextPositions(text)
        self.findings: list[Finding] = []

    def span(self, node: YamlNode) -> Span:
        """Give the place of a node."""
        return self.places.span(node.start, node.end)

    def source(self, node: YamlNode) -> str:
        """Give a node as it is written."""
        return self.text[node.start : node.end]

    def change(self, start: int, end: int, new_text: str) -> TextChange:
        """Replace the text between two offsets."""
        return TextChange(self.places.span(start, end), new_text)

    def add(
        self,
        code: FileCode,
        message: str,
        at: YamlNode | Span,
        fixes: Sequence[Fix] = (),
        related: Sequence[RelatedSpan] = (),
    ) -> None:
        """Note a finding at a node or a span, as loud as its code is."""
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
        """Note that something else is wanted here."""
        found = content_of(node)
        is_null = isinstance(found, Scalar) and found.null
        kind = "nothing" if is_null else _KINDS[type(found)]
        message = f"expected {wanted}, found {kind}"
        self.add(FileCode.WRONG_TYPE, message, node, fixes)

    def other_form(self, message: str, at: YamlNode | Span, fix: Fix | None) -> None:
        """Note a form that is read but is not the normal one."""
        self.add(FileCode.OTHER_FORM, message, at, (fix,) if fix else ())

    def rename(self, key: Scalar, name: str) -> Fix:
        """Give the fix that renames a key."""
        change = self.change(key.start, key.end, spelled_like(key.style, name))
        return Fix(f"Rename to `{name}`", (change,))

    def respell(self, node: YamlNode, value: str, title: str) -> Fix:
        """Give the fix that writes another value in the style of the one there."""
        style = "" if not isinstance(node, Scalar) or node.unquoted else node.style
        change = self.change(node.start, node.end, spelled_like(style, value))
        return Fix(title, (change,))

    def take_composed(self, composed: Composed) -> None:
        """Note what the composing itself has found."""
        for first, again in composed.duplicates:
            self.add(
                FileCode.YAML_DUPLICATE_KEY,
                f"the key `{again.value}` is given twice; the first one counts",
                again,
                related=(RelatedSpan(span=self.span(first), message="the first one"),),
            )
        for start, source in composed.globs.items():
            self._note_glob(start, source)

    def _note_glob(self, start: int, source: str) -> None:
        end = start + len(source)
        fix = Fix("Quote it", (self.change(start, end, double_quoted(source)),))
        message = f"YAML reads {source} as something else: a glob like this has to be quoted"
        span = self.places.span(start, end)
        self.add(FileCode.YAML_UNQUOTED_GLOB, message, span, (fix,))

    def take_problem(self, problem: YamlProblem) -> None:
        """Note what keeps the text from being read."""
        related: tuple[RelatedSpan, ...] = ()
        if problem.context is not None:
            start, message = problem.context
            span = self.places.span(start, min(start + 1, len(self.text)))
            related = (RelatedSpan(span=span, message=message),)
        span = self.places.span(problem.start, problem.end)
        self.add(problem.code, problem.message, span, related=related)


def text_of(reading: YamlDocument, node: YamlNode) -> str | None:
    """Read one value as its source has it; None for nothing or, with a finding, a wrong type."""
    content = content_of(node)
    if not isinstance(content, Scalar):
        reading.wrong_type(node, "one value")
        return None
    return None if content.null else content.value


def texts_of(reading: YamlDocument, node: YamlNode) -> tuple[tuple[YamlNode, str], ...]:
    """Read a list of values with their places; what is not one has a finding and is left out."""
    content = content_of(node)
    if isinstance(content, Scalar) and content.null:
        return ()
    if not isinstance(content, SequenceNode):
        reading.wrong_type(node, "a list", listed(reading, node))
        return ()
    return tuple(_items_of(reading, content))


def _items_of(reading: YamlDocument, listing: SequenceNode) -> Iterator[tuple[YamlNode, str]]:
    for item in listing.items:
        content = content_of(item)
        if isinstance(content, Scalar) and (content.value or content.style):
            yield item, content.value
        else:
            reading.wrong_type(item, "one value")


def listed(reading: YamlDocument, node: YamlNode) -> tuple[Fix, ...]:
    """Give the fix that makes a list of one value, where it is a value on one line."""
    if not isinstance(node, Scalar) or node.style in ("|", ">"):
        return ()
    source = reading.source(node)
    if "\n" in source or "\r" in source:
        return ()
    text = source if node.style else double_quoted(node.value)
    return (Fix("Make it a list", (reading.change(node.start, node.end, f"[{text}]"),)),)
