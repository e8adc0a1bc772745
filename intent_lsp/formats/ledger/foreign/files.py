"""Imports the files of a foreign record, under the key names of any supported dialect.

Invariant: the result is valid in a record of this ledger: paths stay in the root, and the ranges of
one conversation ascend and do not overlap.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import parse_relative
from intent_lsp.core.records import (
    PERCENT,
    UNKNOWN_CONTRIBUTOR,
    AstFingerprint,
    Contributor,
    Conversation,
    EntityType,
    Range,
    RecordFile,
    RelatedEntry,
    file_path,
)
from intent_lsp.formats.ledger.foreign.keys import UNKNOWN_VALUE, ForeignKeys, whole_number
from intent_lsp.formats.ledger.foreign.urns import related_value, talk_url

UNHASHED: Final = ContentHash("sha256:" + "0" * 64)
"""The placeholder for the hash of a range without a SHA-256. No content has this hash."""

UNKNOWN: Final = "unknown"
MAX_URL: Final = 4096
"""The greatest length of a path or a URL, in characters."""
_MAX_LAYERS: Final = 50


def read_file(keys: ForeignKeys) -> RecordFile | None:
    """Import one file of a foreign record, whose JSON object `keys` reads.

    Return None if the file's path is missing or not below the root. Unknown keys, and values
    that cannot be used, are added to the `lost` of `keys`.
    """
    found = _named_file(keys)
    if found is not None:
        talks = tuple(talk for each in keys.each("conversations") for talk in _conversations(each))
        found = replace(
            found,
            pre_hash=keys.hash("pre_hash"),
            post_hash=keys.hash("post_hash"),
            ast_fingerprint=_fingerprint(keys.within("ast_fingerprint")),
            conversations=talks,
        )
    keys.leave()
    return found


def _named_file(keys: ForeignKeys) -> RecordFile | None:
    """Return a file with its paths only, or None if its path is missing or not below the root.

    `keys` reads the file's JSON object. A path or an encoding that cannot be used is added to
    `lost`.
    """
    encoding = keys.text("path_encoding")
    if encoding not in (None, PERCENT):
        keys.lose("path_encoding", UNKNOWN_VALUE)
        encoding = None
    path = _below(keys.text("relative_path", "path", limit=MAX_URL), encoding)
    if path is None:
        keys.lose("relative_path", "there is no path below the root, so the file is left out")
        return None
    before = keys.text("previous_path", limit=MAX_URL)
    previous = _below(before, encoding)
    if before is not None and previous is None:
        keys.lose("previous_path", "the former path is not below the root, so it is left out")
    return RecordFile(
        relative_path=path,
        path_encoding=encoding,
        previous_path=previous,
        pre_hash=None,
        post_hash=None,
    )


def _below(name: str | None, encoding: str | None) -> str | None:
    """Return `name` as a path without `.` and `..`, or None if it is no path below the root.

    `encoding` is `percent` if the path is percent-encoded, else None.
    """
    path = None if name is None else parse_relative(name)
    decoded = None if path is None else file_path(path, encoding)
    return None if decoded is None or parse_relative(decoded) != decoded else path


def _fingerprint(keys: ForeignKeys) -> AstFingerprint | None:
    summary = keys.hash("summary_hash")
    parser, language = keys.text("parser"), keys.text("language")
    keys.leave()
    if summary is None:
        return None
    return AstFingerprint(
        parser=parser or UNKNOWN, language=language or UNKNOWN, summary_hash=summary
    )


def _conversations(keys: ForeignKeys) -> Iterator[Conversation]:
    """Yield the conversation in the JSON object that `keys` reads.

    Yield several if its ranges overlap, or if a range has another contributor than the
    conversation. If so many ranges overlap that one contributor would need more than
    `_MAX_LAYERS` conversations, some of the ranges are dropped.
    """
    url = talk_url(keys.text("url", limit=MAX_URL) or UNKNOWN)
    plain = _contributor(keys.within("contributor")) or UNKNOWN_CONTRIBUTOR
    ranges: dict[Contributor, dict[Range, None]] = {plain: {}}
    for each in keys.each("ranges"):
        who, run = _range(each)
        if run is not None:
            ranges.setdefault(who or plain, {})[run] = None
    related = tuple(found for each in keys.each("related") if (found := _related(each)) is not None)
    keys.leave()
    if not ranges[plain] and len(ranges) > 1:
        # Every range has a contributor of its own.
        del ranges[plain]
    for person, runs in ranges.items():
        layers = _layers(runs)
        if len(layers) > _MAX_LAYERS:
            keys.lose("ranges[]", "too many ranges overlap, so some are left out")
        for layer in layers[:_MAX_LAYERS] or [[]]:
            yield Conversation(url=url, contributor=person, ranges=tuple(layer), related=related)


def _contributor(keys: ForeignKeys) -> Contributor | None:
    kind = keys.text("entity_type", "type")
    model = keys.text("model_identifier", "model_id")
    keys.leave()
    if kind is None and model is None:
        return None
    try:
        entity = EntityType((kind or UNKNOWN).upper())
    except ValueError:
        keys.lose("entity_type", UNKNOWN_VALUE)
        entity = EntityType.UNKNOWN
    return Contributor(entity, model or ("human" if entity is EntityType.HUMAN else UNKNOWN))


def _range(keys: ForeignKeys) -> tuple[Contributor | None, Range | None]:
    start, end = keys.number("start_line"), keys.number("end_line")
    content = keys.hash("content_hash") or UNHASHED
    who = _contributor(keys.within("contributor"))
    replaced, whole = keys.take("replaced"), keys.flag("fallback") or False
    keys.leave()
    if start is None or end is None or start > end or (not start and end):
        keys.lose("start_line", "this is not a range of lines, so it is left out")
        return None, None
    runs = None if whole else _replaced(replaced, end - start + 1)
    if replaced is not None and runs is None:
        keys.lose("replaced", "the replaced lines do not fit the range, so they are left out")
    return who, Range(
        start_line=start, end_line=end, content_hash=content, replaced=runs, fallback=whole
    )


def _replaced(found: object, length: int) -> tuple[int, int, int] | None:
    numbers = [whole_number(each) for each in found] if isinstance(found, list) else []
    match numbers:
        case [int(first), int(old), int(new)] if first > 0:
            told = new == length if new else length == 1
            return (first, old, new) if told else None
        case _:
            return None


def _related(keys: ForeignKeys) -> RelatedEntry | None:
    kind, value = keys.text("type"), keys.text("value", "url", limit=MAX_URL)
    keys.leave()
    if kind is None or value is None:
        keys.lose("type", "the type or the value is missing, so the entry is left out")
        return None
    return RelatedEntry(kind, related_value(kind, value))


def _layers(runs: Iterable[Range]) -> list[list[Range]]:
    """Return the ranges in groups. Within a group the ranges ascend and do not overlap.

    If `_MAX_LAYERS` groups are not enough, one more group takes all other ranges, which may
    overlap.
    """
    layers: list[list[Range]] = []
    for run in sorted(runs, key=lambda run: (run.start_line, run.end_line)):
        fits = (each for each in layers[:_MAX_LAYERS] if 0 < each[-1].end_line < run.start_line)
        layer = next(fits, None)
        if layer is None and len(layers) > _MAX_LAYERS:
            layer = layers[-1]
        if layer is None:
            layers.append(layer := [])
        layer.append(run)
    return layers
