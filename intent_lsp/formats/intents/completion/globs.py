"""Proposals for the next segment of a glob or of a file's path.

Invariant: a name proposed for a glob matches only itself: its special characters are escaped.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from intent_lsp.core.codes import FileCode
from intent_lsp.core.paths import INTENTS_FILE, parse_relative
from intent_lsp.core.scope.findings import reaches_control_plane
from intent_lsp.core.scope.language import escape
from intent_lsp.core.scope.pattern import EXACT, Pattern, normalize
from intent_lsp.formats.intents.completion.place import CompletionPlace
from intent_lsp.formats.intents.completion.proposal import Proposal, ProposalKind, ProposedEdit
from intent_lsp.formats.intents.completion.shapes import ValueKind
from intent_lsp.formats.intents.completion.writing import ProposedValue, write_value
from intent_lsp.formats.intents.intents_file import glob_findings
from intent_lsp.formats.yaml.nodes import value_begun

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LEAD = re.compile(r"\s*(?:!(?!\())*")
_EXTENSION = re.compile(r"[^.].*(\.[\w-]+)", re.DOTALL)
_EXTENSIONS_AT_MOST = 5


class SegmentPlace(Struct, frozen=True, kw_only=True):
    """The last segment of a glob or path that is being typed.

    `before` is the text up to and including the last `/`. `lead` is the white space and the `!` at
    the start of a glob's first segment, else "". `segment` is what was typed of the segment itself.
    `directory` is the path of the directory before it, "" for the root, or None if wildcards stand
    before it. `base` is the path of the last directory before any wildcard. `is_glob` is False for
    the path of a file.
    """

    before: str
    lead: str
    segment: str
    directory: str | None
    base: str
    is_glob: bool


class Listed(Struct, frozen=True, kw_only=True):
    """The names in a directory, each in order: its subdirectories, and its files."""

    directories: Sequence[str] = ()
    files: Sequence[str] = ()


def segment_at(place: CompletionPlace) -> SegmentPlace | None:
    """Return the segment that is typed at a place, or None if no glob or path is wanted there.

    None also stands for a path that leaves the root.
    """
    leaf, word = place.leaf, place.cursor.word
    if leaf is None or leaf.kind not in (ValueKind.GLOB, ValueKind.FILE):
        return None
    typed = _decoded(word.typed, word.quote)
    before, slash, segment = typed.rpartition("/")
    is_glob = leaf.kind is ValueKind.GLOB
    lead = _LEAD.match(segment)
    start = lead.group() if lead and is_glob and not slash else ""
    walked = _walked(before, is_glob=is_glob) if slash else ("", "")
    if walked is None:
        return None
    return SegmentPlace(
        before=before + slash,
        lead=start,
        segment=segment[len(start) :],
        directory=walked[0],
        base=walked[1],
        is_glob=is_glob,
    )


def names_proposed(
    place: CompletionPlace, segment: SegmentPlace, listed: Listed
) -> Iterator[Proposal]:
    """Yield the proposals for the names in the directory before a segment."""
    entries = [(name + "/", ProposalKind.DIRECTORY, "3") for name in listed.directories]
    entries += [(name, ProposalKind.FILE, "4") for name in listed.files]
    for name, kind, rank in entries:
        spelled = escape(name) if segment.is_glob else name
        is_directory = kind is ProposalKind.DIRECTORY
        written = _written(place, segment, spelled, goes_on=is_directory)
        if written is not None:
            yield Proposal(label=name, kind=kind, written=written, rank=rank + name.casefold())


def wildcards_proposed(
    place: CompletionPlace, segment: SegmentPlace, files: Sequence[str]
) -> Iterator[Proposal]:
    """Yield the wildcards for a segment of a glob: `**`, and one for each extension of `files`.

    Yield none for the path of a file. `files` are names of files in the directory `segment.base`;
    only their most frequent extensions count. The wildcard for an extension is `**/*.EXT`. It is
    `*.EXT` behind `**/`, or where `**/*.EXT` would give the glob a new finding. Behind `**/`, `**`
    is left out. A wildcard is also left out if it would give the glob a new finding, such as `**`
    at the root, which owns every file.
    """
    if not segment.is_glob:
        return
    deep = not segment.before.endswith("**/")
    choices: list[tuple[str, ...]] = [("**",)] if deep else []
    choices += [(f"**/*{each}", f"*{each}")[not deep :] for each in extensions(files)]
    known = _codes(place, segment.before + segment.lead + "x")
    for index, wildcards in enumerate(choices):
        heads = ((each, segment.before + segment.lead + each) for each in wildcards)
        wildcard = next((each for each, glob in heads if _codes(place, glob) <= known), None)
        written = wildcard and _written(place, segment, wildcard, goes_on=False)
        if wildcard and written:
            rank = f"2{index}" if wildcard == "**" else f"5{index}"
            yield Proposal(label=wildcard, kind=ProposalKind.GLOB, written=written, rank=rank)


def _codes(place: CompletionPlace, glob: str) -> frozenset[FileCode]:
    """Return the codes of the findings that a glob would have at a place."""
    found = frozenset(finding.code for finding in glob_findings(glob))
    # In the policy a glob may reach the control plane: there it grants nothing.
    if place.file == INTENTS_FILE and reaches_control_plane(glob):
        return found | {FileCode.SCOPE_CONTROL_PLANE}
    return found


def extensions(files: Sequence[str]) -> Sequence[str]:
    """Return the most frequent extensions of files, five at most, each with its dot: `.py`."""
    found = Counter(each[1] for name in files if (each := _EXTENSION.fullmatch(name)))
    ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return [extension for extension, _ in ranked[:_EXTENSIONS_AT_MOST]]


def _written(
    place: CompletionPlace, segment: SegmentPlace, name: str, *, goes_on: bool
) -> ProposedEdit | None:
    last = segment.lead + name
    value = ProposedValue(
        text=segment.before + last, last=last, goes_on=goes_on, quoted=True, listed=place.listed
    )
    return write_value(place.cursor, value)


def _walked(before: str, *, is_glob: bool) -> tuple[str | None, str] | None:
    """Return the directory that `before` names, and the part of it before any wildcard.

    `before` ends before a `/`. The directory is None if `before` has wildcards. Return None in
    place of both if `before` leaves the root.
    """
    if not is_glob:
        path = "" if before == "." else parse_relative(before)
        return None if path is None else (path, path)
    glob = normalize(before + "/").glob.removesuffix("**").rstrip("/")
    names: list[str] = []
    for part in glob.split("/") if glob else []:
        row = Pattern(part, EXACT).rows
        name = row[0][0].literal if len(row) == 1 and row[0][0] is not None else None
        if part == ".." or (name is None and part != "**" and not row):
            return None
        if name is None:
            return None, "/".join(names)
        names.append(name)
    path = "/".join(names)
    return path, path


def _decoded(source: str, quote: str) -> str:
    """Return the text that `source`, the typed beginning of a YAML value, stands for.

    `quote` is the open quote before `source`, or "" if there is none.
    """
    return _PAIR.sub(_joined, value_begun(source, quote)) if quote else source


def _joined(pair: re.Match[str]) -> str:
    """Return the one character that the two surrogate characters in `pair` stand for."""
    return pair.group().encode("utf-16", "surrogatepass").decode("utf-16")
