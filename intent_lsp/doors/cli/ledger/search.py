"""Searches of the ledger for records: by index where possible, then by filters on each record.

Invariant: only a few pages of records are held in memory, however many match.
Invariant: progress is shown only on a terminal, and is not part of the output.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.doors.cli.command import argument, flag, repeated
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.ledger.paths import path_filter
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.times import since
from intent_lsp.governance.ledger.reader import LedgerReader, tracing
from intent_lsp.store import clock
from intent_lsp.store.ledger.index.queries import PageCursor, Query, RecordPage

PAGE: Final = 500
"""The most records that are read at once."""

Passes = Callable[[Record], bool]


FILTERS: Final = (
    repeated(
        "--intent ID", "of this intent, or one of its earlier ids; of any of them when given again"
    ),
    argument(
        "--path PATH",
        "that touched this file, a file below this directory, or one that this glob matches,"
        " as seen from here or from -C",
    ),
    argument("--session ID", "of this session"),
    argument("--contributor WHO", "with lines by AI, HUMAN, MIXED or UNKNOWN, or by this model"),
    argument("--tool NAME", "made with this tool; `editor` means every editor/… too"),
    argument(
        "--verdict",
        "recorded with this verdict",
        choices=[verdict.value for verdict in ScopeValidation],
        type=str.upper,
    ),
    flag("--failed", "of calls that failed"),
    argument("--since WHEN", "not older than 30m, 2h, 3d, 1w, or than an RFC 3339 time"),
    argument("--until WHEN", "older than such a moment"),
)
"""The options that filter records. A record must match all that are given."""


def count(text: str) -> int:
    """Return `text`, which has one to nine digits, as a number of records.

    This is a type function for argparse: raise argparse.ArgumentTypeError if `text` is anything
    else.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len("999999999")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


@contextmanager
def indexed(root: Path, page: Output) -> Iterator[LedgerReader]:
    """Open a root's ledger for reading, with its index brought up to date, and yield it.

    Show the progress of indexing on `page`. Raise LedgerUnavailableError if the ledger cannot be
    read.
    """
    with tracing(root) as trace:
        with page.bar("Indexing the ledger") as progress:
            trace.ledger.index.refresh(progress)
        yield trace


class Sieve(Struct, frozen=True):
    """A filter of records that the index does not support.

    `said` is the filter's option with the value, such as `--verdict FAIL`. `passes` gets a record,
    and returns True to keep the record.
    """

    said: str
    passes: Passes


class RecordSearch(Struct, kw_only=True):
    """A search for the records that match some options.

    `asked` are the options that the index supports, each as its text on the command line and its
    fields of a Query. `sieves` are the filters of the other options, applied one after the other.
    `left` counts the records that have passed each sieve, by `Sieve.said`.
    """

    asked: Sequence[tuple[str, dict[str, Any]]] = ()
    sieves: Sequence[Sieve] = ()
    left: Counter[str] = field(default_factory=Counter)

    @property
    def said(self) -> Sequence[str]:
        """The filter options of the search with their values, such as `--since 2h`."""
        return (*(said for said, _ in self.asked), *(sieve.said for sieve in self.sieves))

    def newest_first(self, trace: LedgerReader, limit: int = 0) -> Iterator[Record]:
        """Yield the matching records, newest first, at most `limit` of them (0: all)."""
        found = (record for _, page in self._pages(trace, limit) for record in self._sifted(page))
        return islice(found, limit or None)

    def oldest_first(self, trace: LedgerReader, limit: int = 0) -> Iterator[Record]:
        """Yield the records of `newest_first` with the same `limit`, but the oldest first."""
        wanted = limit or None
        newest: list[Record] = []
        places: list[tuple[PageCursor, int]] = []
        for cursor, page in self._pages(trace, limit):
            found = list(islice(self._sifted(page), wanted))
            wanted = None if wanted is None else wanted - len(found)
            if cursor is None:
                newest = found
            elif found:
                places.append((cursor, len(found)))
            if wanted == 0:
                break
        for cursor, kept in reversed(places):
            page = trace.page(self._query(), limit=self._size(limit), cursor=cursor)
            yield from reversed(list(islice(self._sifted(page), kept)))
        yield from reversed(newest)

    def why_none(self, trace: LedgerReader) -> str:
        """Return a clause that says why no record matched, such as `no record matches --since 2h`.

        It names the first filter that leaves no record, together with the filters that were applied
        before it, or says that the ledger is empty, or that a matching record has just been added.
        Call it only after an iteration that found nothing, because it needs the counts in `left`.
        """
        if not trace.page(Query(), limit=1).records:
            return "the ledger has no record yet"
        query, earlier = Query(), list[str]()
        for option, fields in self.asked:
            query = replace(query, **fields)
            if not trace.page(query, limit=1).records:
                return _unmatched(option, earlier)
            earlier.append(option)
        for option in (sieve.said for sieve in self.sieves):
            if not self.left[option]:
                return _unmatched(option, earlier)
            earlier.append(option)
        # A record was added in between.
        return "a record that matches was added a moment ago; run the command again"

    def _query(self) -> Query:
        query = Query()
        for _, fields in self.asked:
            query = replace(query, **fields)
        return query

    def _size(self, limit: int) -> int:
        return PAGE if self.sieves or not limit else min(limit, PAGE)

    def _pages(
        self, trace: LedgerReader, limit: int
    ) -> Iterator[tuple[PageCursor | None, RecordPage]]:
        """Yield (cursor, page) of each page of records that the index finds, newest first.

        The cursor is the one with which the page was read; it is None for the first page. `limit`
        only makes the pages smaller; it does not end the iteration.
        """
        query, size = self._query(), self._size(limit)
        cursor: PageCursor | None = None
        while True:
            page = trace.page(query, limit=size, cursor=cursor)
            yield cursor, page
            cursor = page.cursor
            if cursor is None:
                return

    def _sifted(self, page: RecordPage) -> Iterator[Record]:
        for record in page.records:
            for sieve in self.sieves:
                if not sieve.passes(record):
                    break
                self.left[sieve.said] += 1
            else:
                yield record


def _unmatched(option: str, earlier: Sequence[str]) -> str:
    further = f" together with {' '.join(earlier)}" if earlier else ""
    return f"no record matches {option}{further}"


def search(options: argparse.Namespace, root: Path, trace: LedgerReader) -> RecordSearch:
    """Return the search that the filter options describe.

    Raise WrongUsageError if a time is malformed, or if --path is outside the root or too complex.
    """
    asked: list[tuple[str, dict[str, Any]]] = []
    sieves = list(_sieves(options))
    if options.intent:
        said = " ".join(f"--intent {intent}" for intent in options.intent)
        asked.append((said, {"intent_ids": tuple(options.intent)}))
    if options.path is not None:
        found = path_filter(options, root, trace)
        said = f"--path {options.path}"
        if found.path is None:
            sieves.insert(0, Sieve(said, found.passes))
        else:
            asked.append((said, {"path": found.path}))
    if options.session is not None:
        asked.append((f"--session {options.session}", {"session_ids": (options.session,)}))
    if options.since is not None:
        asked.append(
            (f"--since {options.since}", {"since": moment_given("--since", options.since)})
        )
    return RecordSearch(asked=asked, sieves=sieves)


def _sieves(options: argparse.Namespace) -> Iterator[Sieve]:
    """Yield the filters that the index does not support, cheapest first."""
    if options.until is not None:
        until = moment_given("--until", options.until)
        yield Sieve(f"--until {options.until}", lambda record: record.timestamp < until)
    if options.verdict is not None:
        verdict = ScopeValidation(options.verdict)
        yield Sieve(f"--verdict {verdict}", lambda record: record.scope_validation is verdict)
    if options.failed:
        yield Sieve("--failed", lambda record: not record.success)
    if options.tool is not None:
        yield Sieve(f"--tool {options.tool}", _by_tool(options.tool))
    if options.contributor is not None:
        yield Sieve(f"--contributor {options.contributor}", _by_contributor(options.contributor))


def _by_tool(name: str) -> Passes:
    family = name.rstrip("/") + "/"
    return lambda record: record.tool_name == name or record.tool_name.startswith(family)


def _by_contributor(who: str) -> Passes:
    """Return a function that says whether any contributor to a record is `who`, ignoring case.

    `who` is a kind such as `HUMAN`, or the name of a model, with or without its maker:
    `anthropic/claude-opus-4-5` or `claude-opus-4-5`.
    """
    kind, model = who.upper(), who.lower()

    def passes(record: Record) -> bool:
        authors = (talk.contributor for file in record.files for talk in file.conversations)
        return any(
            author.entity_type.value == kind or model in (name, name.rpartition("/")[2])
            for author in authors
            for name in [author.model_identifier.lower()]
        )

    return passes


def moment_given(option: str, text: str) -> str:
    """Return the ledger timestamp for `text`, the value of an option that is a time.

    Raise WrongUsageError, which names the option `option`, if `text` is not a time.
    """
    found = since(text, clock.now())
    if found is None:
        raise WrongUsageError(
            f"{option}: {text} is not a date or time",
            cure="say 2h, 3d, 2w, 2026-11-21 or 2026-11-21T20:27:33Z",
        )
    return found
