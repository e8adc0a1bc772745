r"""Markdown as blocks: its headings, list items and paragraphs, each with its line and headings.

Only what plans consist of is told apart: it is no renderer of Markdown. Fenced code blocks, HTML
comments, rules and front matter are left out.

Invariant: no text raises an error. A line ends at `\r\n`, `\n` or `\r`.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import line_body, split_lines
from intent_lsp.formats.plans.proposed_intent import PlanProblem

_FENCE: Final = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_HEADING: Final = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*))?")
_UNDERLINE: Final = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*")
_RULE: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_ITEM: Final = re.compile(r"(?P<indent>[ ]*)(?:[-*+]|(?P<ordinal>\d{1,9})[.)])(?:[ ]+|$)")
_CHECKBOX: Final = re.compile(r"\[(?P<mark>.)\](?![(\[:])(?P<optional>\*)?[ \t]*")
_FRONT_MATTER: Final = "---"
_TAB: Final = 4


class BlockKind(Enum):
    """What a block of Markdown is: a heading, a list item or a paragraph."""

    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()


class MarkdownBlock(Struct, frozen=True, kw_only=True):
    """A heading, a list item or a paragraph. `text` is its Markdown, on one line.

    `line` is its first line, from 1. `depth` is a heading's level from 1, and else the column from
    0 at which the block begins, with tab stops at every fourth. `headings` are the titles of the
    headings above the block, outermost first; a heading's own title is the last of them. Of an
    item, `mark` is the character in its checkbox (None without one), `optional` says whether a `*`
    follows the checkbox, as in `[ ]* text`, and `ordinal` is its number or "".
    """

    kind: BlockKind
    line: int
    text: str
    depth: int
    headings: tuple[str, ...] = ()
    mark: str | None = None
    optional: bool = False
    ordinal: str = ""


class MarkdownText(Struct, frozen=True):
    """The blocks of a document, in order, and its problems.

    A problem is a fenced code block or an HTML comment that is never closed; the blocks end there.
    """

    blocks: tuple[MarkdownBlock, ...]
    problems: tuple[PlanProblem, ...] = ()

    @property
    def items(self) -> tuple[MarkdownBlock, ...]:
        """The list items of the document."""
        return tuple(block for block in self.blocks if block.kind is BlockKind.ITEM)

    @property
    def tasks(self) -> tuple[MarkdownBlock, ...]:
        """The list items that have a checkbox."""
        return tuple(item for item in self.items if item.mark is not None)

    def task_texts(self) -> Iterator[str]:
        """Yield the texts of the tasks and of the blocks that are nested below them."""
        for block, _ in self.nested_below_tasks():
            yield block.text

    def nested_below_tasks(self) -> Iterator[tuple[MarkdownBlock, MarkdownBlock]]:
        """Yield (block, outermost task) for each task and each block that is nested below a task.

        An outermost task is paired with itself. A heading, or a block that is indented no further
        than the outermost task, ends what is nested below that task.
        """
        task: MarkdownBlock | None = None
        for block in self.blocks:
            if block.kind is BlockKind.HEADING or (task is not None and block.depth <= task.depth):
                task = None
            if task is None and block.mark is not None:
                task = block
            if task is not None:
                yield block, task

    def title(self) -> MarkdownBlock | None:
        """Return the first heading of the highest level that there is, or None without headings.

        Level 1 is the highest.
        """
        found = [block for block in self.blocks if block.kind is BlockKind.HEADING]
        return min(found, key=lambda block: block.depth, default=None)


def markdown_text(document: str, text: str) -> MarkdownText:
    """Return the blocks of a Markdown text. `document` is its name, for problems."""
    reader = _BlockReader(document)
    for number, line in _outside_front_matter(split_lines(text.removeprefix("\ufeff"))):
        reader.add(number, line_body(line).expandtabs(_TAB))
    return reader.end()


def _outside_front_matter(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without the metadata between `---` at the start."""
    start = 0
    if lines and line_body(lines[0]).rstrip() == _FRONT_MATTER:
        ends = (
            at for at, line in enumerate(lines) if at and line_body(line).rstrip() == _FRONT_MATTER
        )
        start = next(ends, -1) + 1
    yield from enumerate(lines[start:], start + 1)


class _BlockReader:
    """Collects blocks from the lines of one document."""

    def __init__(self, document: str) -> None:
        self._document = document
        self._blocks: list[MarkdownBlock] = []
        self._titles: list[tuple[int, str]] = []
        self._open: MarkdownBlock | None = None
        self._continued: list[str] = []
        self._fence: tuple[str, int] | None = None
        self._comment: int | None = None

    def add(self, number: int, line: str) -> None:
        """Read line `number` of the document, given without tabs and line end."""
        if self._fence is not None:
            self._in_fence(self._fence[0], line)
            return
        line = self._outside_comments(number, line)
        found = _FENCE.fullmatch(line)
        if found is not None and not (found["marks"][0] == "`" and "`" in found["info"]):
            self._close()
            self._fence = (found["marks"], number)
        elif not line.strip():
            self._close()
        elif not self._underlined(line):
            self._plain(number, line)

    def end(self) -> MarkdownText:
        """Return the blocks, with a problem if a code block or a comment is still open."""
        self._close()
        problems: tuple[PlanProblem, ...] = ()
        if self._fence is not None:
            problems = (self._unclosed("code block", *self._fence),)
        elif self._comment is not None:
            problems = (self._unclosed("comment", "-->", self._comment),)
        return MarkdownText(tuple(self._blocks), problems)

    def _unclosed(self, what: str, mark: str, line: int) -> PlanProblem:
        return PlanProblem(
            document=self._document,
            line=line,
            problem=f"the {what} that begins here is never closed, so the rest is not read",
            cure=f"close it with {mark}",
        )

    def _in_fence(self, marks: str, line: str) -> None:
        """End the code block that `marks` began if the line closes it."""
        bare = line.strip()
        indented = len(line) - len(line.lstrip()) >= _TAB
        if not indented and len(bare) >= len(marks) and set(bare) == {marks[0]}:
            self._fence = None

    def _outside_comments(self, number: int, line: str) -> str:
        """Return the parts of line `number` that are outside of HTML comments."""
        kept, at, ticks = [], 0, 0
        while at < len(line):
            if self._comment is not None:
                end = line.find("-->", at)
                if end < 0:
                    break
                self._comment, at = None, end + len("-->")
                continue
            found = line.find("<!--", at)
            end = len(line) if found < 0 else found
            kept.append(line[at:end])
            ticks += line.count("`", at, end)
            at = end + len("<!--")
            # In a code span, it is the text that somebody writes about.
            if found >= 0 and ticks % 2:
                kept.append("<!--")
            elif found >= 0:
                self._comment = number
        return "".join(kept)

    def _underlined(self, line: str) -> bool:
        """Make the open paragraph a heading if the line underlines it. Return whether it does."""
        found, above = _UNDERLINE.fullmatch(line), self._open
        if found is None or above is None or above.kind is not BlockKind.PARAGRAPH:
            return False
        title = " ".join((above.text, *self._continued))
        self._open, self._continued = None, []
        self._heading(above.line, 1 if found["mark"][0] == "=" else 2, title)
        return True

    def _plain(self, number: int, line: str) -> None:
        heading, item = _HEADING.fullmatch(line), _ITEM.match(line)
        if heading is not None:
            self._close()
            self._heading(number, len(heading["marks"]), _title_of(heading["title"] or ""))
        elif _RULE.fullmatch(line):
            self._close()
        elif item is not None:
            self._close()
            self._open = self._item(number, line, item)
        elif self._open is None:
            depth = len(line) - len(line.lstrip())
            self._open = self._block(BlockKind.PARAGRAPH, number, line.strip(), depth)
        else:
            self._continued.append(line.strip())

    def _heading(self, number: int, level: int, title: str) -> None:
        self._titles = [(above, name) for above, name in self._titles if above < level]
        self._titles.append((level, title))
        self._blocks.append(self._block(BlockKind.HEADING, number, title, level))

    def _item(self, number: int, line: str, found: re.Match[str]) -> MarkdownBlock:
        box = _CHECKBOX.match(line, found.end())
        text = line[(box or found).end() :].strip()
        return replace(
            self._block(BlockKind.ITEM, number, text, len(found["indent"])),
            mark=box["mark"] if box else None,
            optional=bool(box and box["optional"]),
            ordinal=found["ordinal"] or "",
        )

    def _block(self, kind: BlockKind, number: int, text: str, depth: int) -> MarkdownBlock:
        headings = tuple(name for _, name in self._titles)
        return MarkdownBlock(kind=kind, line=number, text=text, depth=depth, headings=headings)

    def _close(self) -> None:
        if self._open is not None:
            text = " ".join(" ".join((self._open.text, *self._continued)).split())
            self._blocks.append(replace(self._open, text=text))
            self._open, self._continued = None, []


def _title_of(text: str) -> str:
    """Return the title of a heading, without the `#` that may close it."""
    bare = text.strip()
    kept = bare.rstrip("#")
    return kept.rstrip() if not kept or kept[-1] in " \t" else bare
