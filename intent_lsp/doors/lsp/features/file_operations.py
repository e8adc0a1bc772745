"""File operations of an editor: judged when announced, recorded when done (requirements section 7).

Invariant: a `will…` request is answered in time, with null and never an error, and asks nobody.
Invariant: a refusal is shown to the person when the operation is announced, or else when it has
happened.
Invariant: there is one message for all refused files of an operation in a root.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.codes import ShownCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.file_operations import FileOperation, OperationEnds, UriEnds
from intent_lsp.core.findings import Severity
from intent_lsp.core.gate.words import for_people
from intent_lsp.core.paths import WorkspacePath, path_of_uri, relative_to
from intent_lsp.core.redaction import neutral
from intent_lsp.core.text import counted, some_of
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.features.saves import PATIENCE
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.saves.file_operations import AfterOperation, Forecast
from intent_lsp.governance.violations.violation import SEVERITIES
from intent_lsp.store.fs.resolve import resolve_below

_log: Final = logging.getLogger(__name__)

_ANNOUNCED_AT_MOST: Final = 16
"""The most announced operations that are kept: an editor may not carry out what it announces."""

Loudness = Callable[[str, Severity, str], Severity | None]
"""Returns the severity to show for (code, default severity, path), or None to show nothing."""

_DOING: Final = {
    FileOperation.CREATE: "creating",
    FileOperation.RENAME: "renaming",
    FileOperation.DELETE: "deleting",
}
_DONE: Final = {
    FileOperation.CREATE: "created",
    FileOperation.RENAME: "renamed",
    FileOperation.DELETE: "deleted",
}
_SHOWN_AT_MOST: Final = 3
_WORDS_AT_MOST: Final = 300
_SERVER_ONLY: Final = "Only intent-lsp may write this file. The change is recorded as out of scope."


class _OfRoot(Struct, frozen=True):
    """The part of an operation that concerns one governed root.

    `named` are the old and new paths in that root of the files and directories that the editor
    named.
    """

    open_root: OpenRoot
    named: tuple[OperationEnds, ...]


class _Announced(Struct):
    """An operation that the editor has announced.

    `key` is the operation with the URIs that the editor named. `task` judges it; `forecasts` are
    its results so far. `told`: the person was warned, or the settings hide it. `too_late` is set
    once the editor no longer waits for the judgement.
    """

    key: tuple[FileOperation, tuple[UriEnds, ...]]
    task: asyncio.Task[None] | None = None
    forecasts: list[tuple[_OfRoot, Forecast]] = field(default_factory=list)
    told: bool = False
    too_late: threading.Event = field(default_factory=threading.Event)


class FileOperationFeature:
    """Judges and records the file operations of one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._announced: list[_Announced] = []
        self._lane = asyncio.Lock()

    async def will(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Judge an operation that is about to happen, and warn the person of refused files.

        It is never stopped. `uris` has the old and the new URI of each file or directory. If the
        judgement takes longer than PATIENCE seconds, that is logged, and the warning is left to
        `did`.
        """
        announced = _Announced((operation, tuple(uris)))
        self._announced = [*self._announced[1 - _ANNOUNCED_AT_MOST :], announced]
        task = announced.task = self._connection.work.begin(self._judge(announced))
        try:
            await asyncio.wait({task}, timeout=PATIENCE)
        finally:
            if not task.done():
                # The editor goes on without us: from now on the disk may hold what it has done.
                announced.too_late.set()
        if not task.done():
            _log.warning("an operation is not judged within %.0f ms", PATIENCE * 1000)
            return
        for of_root, forecast in announced.forecasts:
            announced.told |= bool(forecast.refused)
            self._warn(operation, of_root, forecast)

    async def did(self, operation: FileOperation, uris: Sequence[UriEnds]) -> None:
        """Record an operation that has happened, and update the diagnostics of its files.

        Warn the person of refused files, unless `will` did, and of an operation that
        cannot be recorded. `uris` is as for `will`.
        """
        announced = self._taken((operation, tuple(uris)))
        if announced is not None and announced.task is not None:
            await asyncio.wait({announced.task})
        await self._saves_recorded(uris)
        async with self._lane:
            work = self._connection.work
            for of_root in await work.in_thread(self._find, uris):
                after = await self._record(operation, of_root)
                if after is None:
                    continue
                if not (announced is not None and announced.told):
                    self._warn(operation, of_root, after)
                await self._show(operation, of_root, after)

    async def _judge(self, announced: _Announced) -> None:
        operation, uris = announced.key
        work = self._connection.work
        for of_root in await work.in_thread(self._find, uris):
            open_root = of_root.open_root
            try:
                forecast = await work.in_thread(
                    open_root.governance.file_operations.before,
                    open_root.session,
                    operation,
                    of_root.named,
                    announced.too_late,
                )
            except IntentLspError as problem:
                _log.warning("an operation cannot be judged: %s", problem)
            else:
                announced.forecasts.append((of_root, forecast))

    def _taken(self, key: tuple[FileOperation, tuple[UriEnds, ...]]) -> _Announced | None:
        found = next((each for each in self._announced if each.key == key), None)
        if found is not None:
            self._announced.remove(found)
        return found

    async def _saves_recorded(self, uris: Sequence[UriEnds]) -> None:
        """Wait until every save reported so far of a file at or below `uris` is recorded."""
        named = {path for ends in uris for uri in ends if uri and (path := path_of_uri(uri))}
        for tracked in self._connection.tracked_documents.all_tracked():
            path = path_of_uri(tracked.uri)
            if path is not None and _is_at(path, named):
                await tracked.all_recorded.wait()

    def _find(self, uris: Sequence[UriEnds]) -> list[_OfRoot]:
        """Return an operation as one part for each governed root, without ungoverned files.

        A rename from one root to another is a deletion in the first root and a creation in the
        second.
        """
        found: dict[OpenRoot, list[OperationEnds]] = {}
        for uri_ends in uris:
            old, new = (self._place(uri) for uri in uri_ends)
            if old is not None and new is not None and old[0] is new[0]:
                found.setdefault(old[0], []).append(OperationEnds(old[1], new[1]))
                continue
            if old is not None:
                found.setdefault(old[0], []).append(OperationEnds(old[1], None))
            if new is not None:
                found.setdefault(new[0], []).append(OperationEnds(None, new[1]))
        return [_OfRoot(open_root, tuple(ends)) for open_root, ends in found.items()]

    def _place(self, uri: str | None) -> tuple[OpenRoot, WorkspacePath] | None:
        path = None if uri is None else path_of_uri(uri)
        open_root = None if path is None else self._connection.open_roots.of_path(path)
        if path is None or open_root is None:
            return None
        place = resolve_below(open_root.governance.root, path)
        return None if place is None else (open_root, place.path)

    async def _record(self, operation: FileOperation, of_root: _OfRoot) -> AfterOperation | None:
        open_root = of_root.open_root
        try:
            return await self._connection.work.in_thread(
                open_root.governance.file_operations.after,
                open_root.session,
                operation,
                of_root.named,
            )
        except (OSError, IntentLspError) as error:
            # The edit stands without a record; it is never taken back for that.
            _log.error("an operation could not be recorded", exc_info=error)
            changed = done(operation, of_root.named)
            self._connection.people.warn(
                f"intent-lsp: {changed} but not recorded: {error}; the server's log says more"
            )
            return None

    async def _show(
        self, operation: FileOperation, of_root: _OfRoot, after: AfterOperation
    ) -> None:
        open_root, said = of_root.open_root, done(operation, of_root.named)
        self._connection.outcomes.recorded(open_root, said, after.record, after.queued)
        await self._connection.rules_may_have_changed(open_root)
        tracked_documents, paths = self._connection.tracked_documents, frozenset(after.paths)
        await tracked_documents.look_at(
            tracked
            for tracked in tracked_documents.of_root(open_root)
            if tracked.place is not None and tracked.place.path in paths
        )
        tracked_documents.work.begin(tracked_documents.look_at_closed(open_root, after.paths))

    def _warn(
        self, operation: FileOperation, of_root: _OfRoot, found: Forecast | AfterOperation
    ) -> None:
        loudness = self._connection.tracked_documents.settings.severity
        said = warning(operation, of_root.named, found.files, found.refused, loudness)
        if said is not None:
            self._connection.people.warn(said)


def _is_at(path: str, named: set[str]) -> bool:
    return path in named or any(relative_to(path, each) is not None for each in named)


def warning(
    operation: FileOperation,
    named: Sequence[OperationEnds],
    files: int,
    refused: Sequence[Judgement],
    loudness: Loudness,
) -> str | None:
    """Return the warning for an operation's refusals; None if there are none or all are hidden.

    It says why the first that is not hidden is refused. `named` are the old and new paths that the
    editor named, and `files` is the number of files in them. `loudness` returns None for a refusal
    that is hidden.
    """
    shown = [each for each in refused if _severity(each, loudness) is not None]
    if not shown:
        return None
    why = _SERVER_ONLY if shown[0].denied is None else for_people(shown[0].denied, shown[0].intent)
    of = f", {files:,} files" if files > len(named) else ""
    others = _files_of((each.path for each in shown), named) - 1
    owners = tuple(dict.fromkeys(owner for each in shown for owner in each.owners))
    theirs = "some of these files" if others else "the file"
    owned = f" Open intents that own {theirs}: {some_of(owners, _SHOWN_AT_MOST)}." if owners else ""
    alike = f" The same is true of {counted(others, 'more file')}." if others else ""
    operation_words = f"{_DOING[operation]} {_named(named)}{of}"
    return f"intent-lsp: {operation_words}: {neutral(why, _WORDS_AT_MOST)}{alike}{owned}"


def done(operation: FileOperation, named: Sequence[OperationEnds]) -> str:
    """Return a clause that says what an operation did, such as "a → b is renamed"."""
    verb = "is" if len(named) == 1 else "are"
    return f"{_named(named)} {verb} {_DONE[operation]}"


def _files_of(paths: Iterable[WorkspacePath], named: Sequence[OperationEnds]) -> int:
    """Return how many files `paths` are; the old and the new path of a renamed file count once."""
    return len({_name_before(path, named) for path in paths})


def _name_before(path: WorkspacePath, named: Sequence[OperationEnds]) -> str:
    """Return the path of a file before a rename in `named`, or `path` if it was not renamed."""
    for ends in named:
        if ends.old is not None and ends.new is not None:
            rest = path.removeprefix(ends.new)
            if rest != path and rest[:1] in ("", "/"):
                return f"{ends.old}{rest}"
    return path


def _severity(judgement: Judgement, loudness: Loudness) -> Severity | None:
    denied = judgement.denied
    code = ShownCode.CONTROL_PLANE_EDIT.value if denied is None else denied.code.value
    return loudness(code, SEVERITIES.get(code, Severity.ERROR), judgement.path)


def _named(named: Sequence[OperationEnds]) -> str:
    return some_of([" → ".join(map(_spelled, ends.paths)) for ends in named], _SHOWN_AT_MOST)


def _spelled(name: str) -> str:
    """Return a name made harmless for a message, with `?` for each byte that is not UTF-8."""
    return neutral(name).encode("utf-8", "replace").decode()
