"""The files that a patch names, whatever it is written in (requirements section 6).

Invariant: total; a text that is no patch has no files and a problem.
Invariant: where a name may mean two files, both are named, since every file named is judged.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from intent_lsp.core.commands.reading import Effect
from intent_lsp.formats.patch.envelope import Envelope
from intent_lsp.formats.patch.headers import (
    Header,
    begins_hunk,
    hunk_end,
    read_header,
    read_sure_header,
    stray_names,
)
from intent_lsp.formats.patch.patched_file import PatchedFile


@dataclass(frozen=True, slots=True)
class PatchReading:
    """The files in order, each once; `problems` are sentences, lines counted from 1."""

    files: tuple[PatchedFile, ...]
    problems: tuple[str, ...]


def read_patch(text: str) -> PatchReading:
    r"""Read `apply_patch` envelopes and unified, context and git diffs, several in one text.

    Lines end in `\n` or `\r\n`. Names are as spelled, prefixes and quotes undone, not folded.
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
    return PatchReading(files, problems if files else (*problems, "no file is named in the patch"))


def _diff_header(lines: list[str], at: int, envelope: Envelope) -> Header | None:
    if not envelope.open:
        return read_header(lines, at)
    header = read_sure_header(lines, at)
    if header is not None:
        envelope.close()
    return header


def _stray(lines: list[str], at: int, strays: list[str]) -> Header:
    """Read a line outside of headers: a name is kept until a hunk comes that it may belong to."""
    if not begins_hunk(lines[at]):
        strays += stray_names(lines[at])
        return Header(files=(), end=at + 1)
    files = tuple(PatchedFile(path=name, effect=Effect.WRITE, doubtful=True) for name in strays)
    strays.clear()
    return Header(files=files, end=max(hunk_end(lines, at), at + 1))


def _once(files: Iterable[PatchedFile]) -> tuple[PatchedFile, ...]:
    """Give each file once; a doubtful one only where nothing else names it."""
    distinct = dict.fromkeys(files)
    distinct |= dict.fromkeys(_trimmed(distinct))
    sure = [file for file in distinct if not file.doubtful]
    named = {file.path for file in sure} | {file.previous for file in sure}
    return tuple(file for file in distinct if not file.doubtful or file.path not in named)


def _trimmed(files: Iterable[PatchedFile]) -> Iterator[PatchedFile]:
    """Spell names without the white space around them, which some appliers cut off."""
    for file in files:
        ends = ((file.path, file.effect), (file.previous or "", Effect.DELETE))
        for name, effect in ends:
            if name.strip() not in ("", name):
                yield PatchedFile(path=name.strip(), effect=effect, doubtful=True)
