r"""Finds the files that a patch changes and the lines that it adds, whatever its format.

Specified in requirements section 6.

An envelope is what `*** Begin Patch` and `*** End Patch` enclose. An update is a section of an
envelope that begins with `*** Update File: name`.

Invariant: nothing is applied, and nothing is raised. A text that is not a patch gives no files and
a problem.
Invariant: names with git's prefixes, such as `a/`, mean one file. If another name may mean two
files, both are returned.
Invariant: the first and last line of an `apply_patch` envelope may be missing. A here-document or
prose around it, and `\r\n`, have no effect.
Invariant: an indented line in an update is text, unless it is indented like the update's first
line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.commands.reading import Effect
from intent_lsp.formats.patch.headers import (
    Header,
    PatchedFile,
    begins_hunk,
    hunk_end,
    read_header,
    read_sure_header,
    stray_names,
)

_MARKER = re.compile(
    r"(\s*)\*\*\*\s*(?:(add|update|delete)\s+file|(move)\s+to)\s*:(.*)", re.IGNORECASE | re.DOTALL
)
_EDGE = re.compile(r"(.*)\*\*\*\s*(?:begin|end)\s+patch\s*", re.IGNORECASE | re.DOTALL)
_ADDED: Final = re.compile(r"\*\*\* (?:Add File|Update File|Move to): (.+)")
_ADDED_IN_DIFF: Final = re.compile(r"\+\+\+ (?:[a-z]/)?([^\t]+)")
_EFFECTS = {"add": Effect.CREATE, "update": Effect.WRITE, "delete": Effect.DELETE}


class Envelope:
    """The parser state for an `apply_patch` envelope: whether a section of it is open.

    A section begins with a line such as `*** Update File: name`. Inside a section, lines are read
    in another way than outside.
    """

    def __init__(self) -> None:
        self.open = False
        # The indentation of the open update, or None in a section whose text is never indented.
        self._indent: str | None = None

    def read(self, lines: Sequence[str], at: int) -> Header | None:
        """Return a header with the named file if the line at index `at` opens a section.

        Return a header without files if the line is an edge of the envelope or opens a section
        without a file name, and None for any other line. Afterwards `open` says whether the next
        lines are in a section.
        """
        found = _MARKER.fullmatch(lines[at])
        if found is None or self._is_text(found[1]):
            return self._edge(lines[at], at)
        verb, path = (found[2] or "move").lower(), _path(found[4])
        self.open = True
        self._indent = found[1] if verb == "update" else None
        if not path.strip():
            return Header(files=(), end=at + 1, problem=f"no file name follows `{verb}`")
        moved = _moved(lines, at + 1) if verb == "update" else None
        if moved in (None, path):
            # A `Move to` without its update still names a file that would be written.
            file = PatchedFile(path=path, effect=_EFFECTS.get(verb, Effect.CREATE))
        else:
            file = PatchedFile(path=moved, effect=Effect.MOVE, previous=path)
        return Header(files=(file,), end=at + (1 if moved is None else 2))

    def _is_text(self, indent: str) -> bool:
        return self.open and self._indent is not None and indent not in ("", self._indent)

    def _edge(self, line: str, at: int) -> Header | None:
        found = _EDGE.fullmatch(line)
        if found is None or (self.open and found[1].strip()) or self._is_text(found[1]):
            return None
        self.open = False
        return Header(files=(), end=at + 1)


class PatchReading(Struct, frozen=True):
    """The files that a patch changes, and the problems of the patch.

    No two files are equal, but a path may be there with several effects. `problems` are sentences,
    each with the number of its line, from 1, if it is about a line. There is at least one if there
    are no files.
    """

    files: tuple[PatchedFile, ...]
    problems: tuple[str, ...]


def read_patch(text: str) -> PatchReading:
    r"""Parse a text that may hold several patches: `apply_patch`, unified, context and git diffs.

    Lines end in `\n` or `\r\n`. Names are without prefixes and quotes, but otherwise as written.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    envelope = Envelope()
    strays: list[str] = []
    headers: list[Header] = []
    at = 0
    while at < len(lines):
        header = envelope.read(lines, at) or _diff_header(lines, at, envelope)
        if header is None:
            header = Header(files=(), end=at + 1) if envelope.open else _stray(lines, at, strays)
        elif header.files:
            strays.clear()
        problem = header.problem and f"line {at + 1}: {header.problem}"
        headers.append(replace(header, problem=problem))
        at = header.end
    files = _once(file for header in headers for file in header.files)
    problems = tuple(header.problem for header in headers if header.problem)
    return PatchReading(files, problems if files else (*problems, "the patch names no file"))


def added_runs(patch: str) -> Mapping[str, tuple[str, ...]]:
    """Return the runs of added lines in a patch by file name, in order.

    Each run is one text with line feeds between its lines. A moved file has its new name. Names in
    a unified diff are without their prefix, such as `b/`; lines before the first name are under "".
    """
    found: dict[str, list[str]] = {}
    run: list[str] = []
    lines = [*patch.replace("\r\n", "\n").split("\n"), ""]
    name, hunk, section = "", 0, False
    for at, line in enumerate(lines):
        named = _ADDED.fullmatch(line.rstrip())
        section = named is not None or (section and _EDGE.fullmatch(line) is None)
        # In the text of a hunk or a section, `--- x` and `+++ y` are lines that begin with `-- `
        # and `++ `.
        if not section and at > hunk and lines[at - 1].startswith("--- "):
            named = _ADDED_IN_DIFF.fullmatch(line.rstrip())
        hunk = hunk_end(lines, at) if at >= hunk else hunk
        if named is None and line.startswith("+"):
            run.append(line[1:])
        elif run:
            found.setdefault(name, []).append("\n".join(run))
            run = []
        name = name if named is None else named[1]
    return {file: tuple(runs) for file, runs in found.items()}


def _diff_header(lines: list[str], at: int, envelope: Envelope) -> Header | None:
    if not envelope.open:
        return read_header(lines, at)
    header = read_sure_header(lines, at)
    if header is not None:
        envelope.open = False
    return header


def _stray(lines: list[str], at: int, strays: list[str]) -> Header:
    """Parse a line that is not in a header or section, or the hunk that begins with it.

    If the line begins a hunk, return each file in `strays` as doubtful, because the hunk may change
    any of them, and empty `strays`. Else add the file names in the line to `strays`, and return no
    files.
    """
    if not begins_hunk(lines[at]):
        strays += stray_names(lines[at])
        return Header(files=(), end=at + 1)
    files = tuple(PatchedFile(path=name, effect=Effect.WRITE, doubtful=True) for name in strays)
    strays.clear()
    return Header(files=files, end=max(hunk_end(lines, at), at + 1))


def _once(files: Iterable[PatchedFile]) -> tuple[PatchedFile, ...]:
    """Return the distinct files; for a name with outer white space also a doubtful one without it.

    A doubtful file is left out if a file that is not doubtful has its name.
    """
    distinct = dict.fromkeys(files)
    distinct |= dict.fromkeys(_trimmed(distinct))
    sure = [file for file in distinct if not file.doubtful]
    named = {file.path for file in sure} | {file.previous for file in sure}
    return tuple(file for file in distinct if not file.doubtful or file.path not in named)


def _trimmed(files: Iterable[PatchedFile]) -> Iterator[PatchedFile]:
    """Yield a doubtful file for each name with outer white space, which some tools strip."""
    for file in files:
        ends = ((file.path, file.effect), (file.previous or "", Effect.DELETE))
        for name, effect in ends:
            if name.strip() not in ("", name):
                yield PatchedFile(path=name.strip(), effect=effect, doubtful=True)


def _moved(lines: Sequence[str], at: int) -> str | None:
    """Return the new name if the line at index `at` is `Move to` with a name, else None."""
    found = _MARKER.fullmatch(lines[at]) if at < len(lines) else None
    return _path(found[4]) if found and found[3] and found[4].strip() else None


def _path(text: str) -> str:
    return text.removeprefix(" ")
