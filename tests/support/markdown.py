"""The part of Markdown that the tests of the documentation read: headings, links, fences, code."""

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<mark>`{3,})(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=indent)(?P=mark) *$",
    flags=re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *$", flags=re.MULTILINE)
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
_SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block; `line` is the 1-based line of its opening."""

    language: str
    body: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file."""

    path: Path
    text: str

    @property
    def prose(self) -> str:
        """The text with its fenced blocks taken out."""
        return _FENCE.sub("", self.text)

    def fences(self) -> list[Fence]:
        """Return the fenced blocks in order."""
        return [
            Fence(found["language"], found["body"], self.text.count("\n", 0, found.start()) + 1)
            for found in _FENCE.finditer(self.text)
        ]

    def headings(self) -> list[str]:
        """Return the headings' texts in order, code marks left out."""
        return [text.replace("`", "") for _, text in _HEADING.findall(self.prose)]

    def anchors(self) -> set[str]:
        """Return the anchors that forges make of the headings; a repeated one gets a number."""
        found: set[str] = set()
        for heading in self.headings():
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
            anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            count = sum(
                re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", old) is not None for old in found
            )
            found.add(f"{anchor}-{count}" if count else anchor)
        return found

    def links(self) -> list[str]:
        """Return the targets of the links in the prose, code spans left out."""
        return [found["target"] for found in _LINK.finditer(_SPAN.sub("", self.prose))]

    def spans(self) -> list[str]:
        """Return the code spans of the prose."""
        return _SPAN.findall(self.prose)


def read(path: Path) -> Page:
    """Read one Markdown file."""
    return Page(path, path.read_text(encoding="utf-8"))
