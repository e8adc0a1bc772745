"""A tracked document as a thread sees it: who governs it, what the disk holds, how it stands.

Invariant: everything here may wait on disk and git, and is called from a thread, under the lane.
"""

import logging
from dataclasses import replace
from typing import Final

from intent_lsp.core.content import hash_if_there, lines_if_text
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath, path_of_uri
from intent_lsp.doors.lsp.diagnostics.tracked_document import Diffs, Tracked, holds
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.runtime.open_roots import Desks
from intent_lsp.governance.contents.content import content_of
from intent_lsp.governance.judging.file_snapshot import Look
from intent_lsp.store.fs.resolve import Place, real_relative

_log: Final = logging.getLogger(__name__)


def find_desk(desks: Desks, tracked: Tracked) -> None:
    """Find out who governs a document; where that is news, what the disk holds of it."""
    path = path_of_uri(tracked.uri)
    attached = None if path is None else desks.of_path(path)
    place = None if path is None or attached is None else real_relative(attached.desk.root, path)
    if attached is None or place is None:
        tracked.attached = tracked.place = tracked.opened = None
    elif attached is not tracked.attached:
        looks, opened = attached.desk.looks, tracked.opened
        data = looks.first_sight(place.path)
        tracked.disk.saved(data)
        if opened is not None:
            tracked.disk.overtaken = looks.overtaken(place.path, data, "".join(opened))
        tracked.attached, tracked.place, tracked.opened = attached, place, None


def take(tracked: Tracked, lines: list[str]) -> tuple[Look | None, Diffs | None]:
    """Take a look at a document that shows `lines`, and compare them where that is shown."""
    attached, place = tracked.attached, tracked.place
    if attached is None or place is None:
        return None, None
    try:
        data = attached.desk.contents.disk(place.path)
        if tracked.is_writing(data):
            data = tracked.disk.known
        same = see(tracked, data, lines)
        held = tracked.disk.last_read
        look = attached.desk.looks.look(
            attached.session,
            place,
            data,
            tracked.disk.read_now,
            edited=not same and not holds(held, lines),
        )
        if look.server_only:
            # What the server has added since the editor read it is not the person's.
            look = replace(look, head=content_of(data if same else held))
    except (OSError, IntentLspError):
        _log.exception("%s cannot be looked at", place.path)
        return None, None
    return look, Diffs.of(look, lines) if look.shown else None


def see(tracked: Tracked, data: bytes | None, lines: list[str]) -> bool:
    """Note what the disk holds of a document beside its text; whether they are the same."""
    same, first = holds(data, lines), tracked.disk.overtaken
    # The text may have moved on since it was written.
    own = same or tracked.has_written(data)
    if first is not None and (tracked.has_written(first.saved) or (same and data == first.saved)):
        take_back(tracked)
        tracked.disk.saw(first.saved, same_as_buffer=True)
    elif first is not None and own and data != first.saved:
        # The editor wrote what is there now, and not what was seen first.
        tracked.disk.overtaken = None
    tracked.disk.saw(data, same_as_buffer=own)
    return same


def take_back(tracked: Tracked) -> None:
    """Go back to what a file held before its first save, which was made before it was seen."""
    attached, place, first = tracked.attached, tracked.place, tracked.disk.overtaken
    tracked.disk.overtaken = None
    if attached is None or place is None or first is None:
        return
    tracked.disk.saved(first.before)
    attached.desk.looks.was_overtaken(attached.session, place.path, first)


def find_wrong(attached: Attached, path: WorkspacePath) -> Place | None:
    """Give the place of a file of which the disk may hold what is to be shown; None: it is fine."""
    place = real_relative(attached.desk.root, path)
    try:
        fine = place is None or attached.desk.looks.is_fine(attached.session, place)
    except (OSError, IntentLspError) as problem:
        _log.warning("%s cannot be judged: %s", path, problem)
        return place
    return None if fine else place


def read_closed(tracked: Tracked) -> tuple[bytes | None, list[str]]:
    """Read the file of a document that no editor has open; None: it cannot be read, or is gone.

    Its lines come with it; there are none where it is not text.
    """
    if tracked.attached is None or tracked.place is None:
        return None, []
    try:
        data = tracked.attached.desk.contents.disk(tracked.place.path)
    except OSError as problem:
        _log.warning("%s cannot be read: %s", tracked.place.path, problem)
        return None, []
    return data, lines_if_text(data)


def is_changed(tracked: Tracked) -> bool:
    """Whether a closed document's file is not as HEAD, or the first sight, has it."""
    attached, place = tracked.attached, tracked.place
    if attached is None or place is None:
        return False
    try:
        head = attached.desk.contents.head(place.path)
    except (OSError, IntentLspError):
        _log.exception("%s cannot be compared with HEAD", place.path)
        return bool(tracked.problems)
    return head.hash != hash_if_there(tracked.disk.known)
