"""Drafts: texts whose save was refused or that a call discarded, kept for thirty days.

Specified in requirements section 7.

Invariant: a draft is on the disk before `write` returns, so that no typed text is lost.
Invariant: a damaged draft is logged and left out, and its file stays.
"""

import json
import logging
import os
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.local_dir import (
    PRIVATE_FILE_MODE,
    ensure_inner_directory,
    ensure_local_directory,
)
from intent_lsp.store.fs.write import create_file, remove_file

_log = logging.getLogger(__name__)

KEPT_FOR: Final = timedelta(days=30)
"""How long a draft is kept."""

_ROOM: Final = "drafts"
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{8}\.json")
_TRIES: Final = 8


class Draft(Struct, frozen=True, kw_only=True):
    """A text whose save was refused, or that an agent's call discarded.

    For a refused save, `base_hash` is the hash of the content that the text was to replace; for a
    discarded text, it is the hash of the file after the call. It is None if there was no file.
    `code` says why the save was refused, or that the text was discarded. `id` is empty until the
    draft is written. `created_at` is a timestamp in UTC.
    """

    id: str = ""
    path: WorkspacePath
    base_hash: ContentHash | None
    text: str
    session_id: str
    code: str
    intent_id: str | None
    created_at: str


class Drafts:
    """The drafts of one root, each in a file of `.local/drafts/`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._room = root / LOCAL_ROOM / _ROOM

    def write(self, draft: Draft) -> Draft:
        """Write a draft to a new file, and return the draft with the id that it got.

        Raise OSError or UnsafePathError if that fails; then the text must not be removed from the
        editor.
        """
        room = ensure_inner_directory(ensure_local_directory(self._root), _ROOM)
        moment = datetime.fromisoformat(draft.created_at).astimezone(UTC)
        for _ in range(_TRIES):
            draft = replace(draft, id=f"{moment.strftime(_STAMP)}-{secrets.token_hex(4)}")
            if create_file(room / f"{draft.id}.json", _spelled(draft), mode=PRIVATE_FILE_MODE):
                return draft
        raise FileExistsError(os.fspath(room))

    def list(self, path: WorkspacePath | None = None) -> tuple[Draft, ...]:
        """Return the readable drafts of the file `path` (None: of all files), newest first.

        Drafts of the same second are in no particular order.
        """
        read = (self._read(name) for name in sorted(self._names(), reverse=True))
        found = (draft for draft in read if draft is not None)
        return tuple(draft for draft in found if path in (None, draft.path))

    def get(self, draft_id: str) -> Draft | None:
        """Return the draft with this id, or None if there is none or it cannot be read."""
        return self._read(f"{draft_id}.json")

    def delete(self, draft_id: str) -> bool:
        """Delete a draft's file, and return True. Return False if there is none. Raise OSError."""
        name = f"{draft_id}.json"
        return bool(_NAME.fullmatch(name)) and remove_file(self._room / name)

    def prune(self, now: datetime) -> int:
        """Delete the drafts older than thirty days at `now`, and return how many there were.

        A draft's age is in its file name. If a file cannot be deleted, log that, stop, and return 0
        even if others were deleted.
        """
        limit = (now - KEPT_FOR).astimezone(UTC).strftime(_STAMP)
        old = [name for name in self._names() if name[: len(limit)] < limit]
        try:
            return sum(remove_file(self._room / name) for name in old)
        except OSError as problem:
            _log.warning("%s: old drafts cannot be removed: %s", self._room, problem)
            return 0

    def _names(self) -> Sequence[str]:
        """Return the file names of all drafts; empty if the directory cannot be listed."""
        try:
            names = os.listdir(self._room)  # noqa: PTH208 - names alone
        except OSError:
            return []
        return [name for name in names if _NAME.fullmatch(name)]

    def _read(self, name: str) -> Draft | None:
        """Return the draft in a file, or None if the file is missing or damaged.

        A damaged file is logged.
        """
        if not _NAME.fullmatch(name):
            return None
        draft_id = name.removesuffix(".json")
        try:
            data = read_bytes(self._room / name)
            return None if data is None else _parsed(draft_id, data)
        except (OSError, ValueError, RecursionError) as problem:
            _log.warning("draft %s cannot be read: %s", draft_id, problem)
            return None


def _spelled(draft: Draft) -> bytes:
    """Encode a draft as JSON, without its id."""
    fields = {name: value for name, value in asdict(draft).items() if name != "id"}
    # Only ASCII: names and texts from the client may have lone surrogates, which UTF-8 lacks.
    return json.dumps(fields, ensure_ascii=True, indent=1).encode()


def _parsed(draft_id: str, data: bytes) -> Draft:
    """Decode the draft in a file's bytes. Raise ValueError or RecursionError if malformed."""
    fields = json.loads(data)
    if not isinstance(fields, dict):
        raise ValueError("the file is not a JSON object")  # noqa: TRY004 - wrong text, not a wrong call
    return msgspec.convert({**fields, "id": draft_id}, Draft)


KNOWN: Final = register_msgspec_types(Draft)
