"""File operations of an editor: judged when announced, recorded when done (requirements section 7).

Invariant: a `will…` request is answered in time, with null and never an error, and asks nobody.
Invariant: a refusal is shown to the person when the operation is announced, or else when it has
happened.
Invariant: there is one message for all refused files of an operation in a root.
"""

import asyncio
import logging
import threading
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.codes import ShownCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.file_operations import FileOperation, OperationEnds, UriEnds
from intent_lsp.core.gate.words import for_people
from intent_lsp.core.paths import WorkspacePath, path_of_uri, relative_to
from intent_lsp.core.redaction import neutral
from intent_lsp.core.text import counted, some_of
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.features.saves import PATIENCE
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.saves.file_operations import AfterOperation, Forecast
from intent_lsp.governance.violations.violation import severity_of

_log: Final = logging.getLogger(__name__)

_ANNOUNCED_AT_MOST: Final = 16
"""The most announced operations that are kept: an editor may not carry out what it announces."""

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
_SERVER_ONLY: Final = (
    "Only intent-lsp may write this file: undo the change, which is recorded as a violation."
)


class _OfRoot(Struct, frozen=True, kw_only=True):
    """The part of an operation that concerns one governed root.

    `named` are the old and new paths in that root of the files and directories that the editor
    named.
    """

    operation: FileOperation
    open_root: OpenRoot
    named: tuple[OperationEnds, ...]

    @property
    def paths(self) -> str:
        """The named paths for a message, such as "a → b"."""
        named = [" → ".join(map(neutral, ends.paths)) for ends in self.named]
        # A byte that is not UTF-8 is shown as `?`.
        return some_of(named, _SHOWN_AT_MOST).encode("utf-8", "replace").decode()

    @property
    def done(self) -> str:
        """A clause that says what the operation did, such as "a → b is renamed"."""
        verb = "is" if len(self.named) == 1 else "are"
        return f"{self.paths} {verb} {_DONE[self.operation]}"


class _Announced(Struct):
    """An operation that the editor has announced.

    `key` is the operation with the URIs that the editor named. `task` judges it; `forecasts` are
    its results so far. `told`: refusals were found in time, so the person was warned of them unless
    the settings hide them. `too_late` is set once the editor no longer waits for the judgement.
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

        The operation is never stopped. `uris` has the old and the new URI of each file or
        directory. If the judgement takes longer than PATIENCE seconds, that is logged, and the
        warning is left to `did`.
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
            self._warn(of_root, forecast)

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
            for of_root in await work.in_thread(self._find, operation, uris):
                after = await self._record(of_root)
                if after is None:
                    continue
                if not (announced is not None and announced.told):
                    self._warn(of_root, after)
                await self._show(of_root, after)

    async def _judge(self, announced: _Announced) -> None:
        work = self._connection.work
        for of_root in await work.in_thread(self._find, *announced.key):
            open_root = of_root.open_root
            try:
                forecast = await work.in_thread(
                    open_root.governance.file_operations.before,
                    open_root.session,
                    of_root.operation,
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
            if path and any(path == at or relative_to(path, at) is not None for at in named):
                await tracked.all_recorded.wait()

    def _find(self, operation: FileOperation, uris: Sequence[UriEnds]) -> list[_OfRoot]:
        """Return an operation as one part for each governed root, without ungoverned files.

        A rename from one root to another is a deletion in the first root and a creation in the
        second.
        """
        found: dict[OpenRoot, list[OperationEnds]] = {}
        for uri_ends in uris:
            old, new = map(self._connection.open_roots.of_uri, uri_ends)
            if old is not None and new is not None and old[0] is new[0]:
                found.setdefault(old[0], []).append(OperationEnds(old[1].path, new[1].path))
                continue
            if old is not None:
                found.setdefault(old[0], []).append(OperationEnds(old[1].path, None))
            if new is not None:
                found.setdefault(new[0], []).append(OperationEnds(None, new[1].path))
        return [
            _OfRoot(operation=operation, open_root=open_root, named=tuple(ends))
            for open_root, ends in found.items()
        ]

    async def _record(self, of_root: _OfRoot) -> AfterOperation | None:
        open_root = of_root.open_root
        try:
            return await self._connection.work.in_thread(
                open_root.governance.file_operations.after,
                open_root.session,
                of_root.operation,
                of_root.named,
            )
        except (OSError, IntentLspError) as error:
            # The edit stands without a record; it is never taken back for that.
            _log.error("an operation could not be recorded", exc_info=error)
            self._connection.people.warn(
                f"intent-lsp: {of_root.done} but not recorded: {error}; the server's log says more"
            )
            return None

    async def _show(self, of_root: _OfRoot, after: AfterOperation) -> None:
        open_root = of_root.open_root
        self._connection.outcomes.recorded(open_root, of_root.done, after.record, after.queued)
        await self._connection.rules_may_have_changed(open_root)
        tracked_documents, paths = self._connection.tracked_documents, frozenset(after.paths)
        await tracked_documents.look_at(
            each for each in tracked_documents.of_root(open_root) if each.path in paths
        )
        tracked_documents.work.begin(tracked_documents.look_at_closed(open_root, after.paths))

    def _warn(self, of_root: _OfRoot, found: Forecast | AfterOperation) -> None:
        """Warn the person of an operation's refusals, unless the settings hide them all."""
        shown = [each for each in found.refused if self._is_shown(each)]
        if shown:
            self._connection.people.warn(_warning(of_root, found.files, shown))

    def _is_shown(self, judgement: Judgement) -> bool:
        denied = judgement.denied
        code = ShownCode.CONTROL_PLANE_EDIT.value if denied is None else denied.code.value
        settings = self._connection.tracked_documents.settings
        return settings.severity(code, severity_of(code), judgement.path) is not None


def _warning(of_root: _OfRoot, files: int, shown: Sequence[Judgement]) -> str:
    """Return the warning that an operation is not allowed, and why its first refused file is not.

    `shown` are its refusals, and `files` is the number of files at the paths that the editor named.
    """
    named = of_root.named
    why = _SERVER_ONLY if shown[0].denied is None else for_people(shown[0].denied, shown[0].intent)
    of = f" ({files:,} files)" if files > len(named) else ""
    # The old and the new path of a renamed file count once.
    others = len({_name_before(each.path, named) for each in shown}) - 1
    owners = tuple(dict.fromkeys(owner for each in shown for owner in each.owners))
    theirs = "some of these files" if others else "the file"
    owned = f" Open intents that own {theirs}: {some_of(owners, _SHOWN_AT_MOST)}." if owners else ""
    alike = f" A rule is also broken for {counted(others, 'more file')}." if others else ""
    doing = f"{_DOING[of_root.operation]} {of_root.paths}{of}"
    reasons = f"{neutral(why, _WORDS_AT_MOST)}{alike}{owned}"
    return f"intent-lsp: {doing} is not allowed, but not prevented: {reasons}"


def _name_before(path: WorkspacePath, named: Sequence[OperationEnds]) -> str:
    """Return the path of a file before a rename in `named`, or `path` if it was not renamed."""
    for ends in named:
        if ends.old is not None and ends.new is not None:
            rest = path.removeprefix(ends.new)
            if rest != path and rest[:1] in ("", "/"):
                return f"{ends.old}{rest}"
    return path
