"""A governed repository whose edits are recorded as a server would record them, or are not.

Ids and times count up, so that the same edits give the same ledger and the same commits.
"""

import itertools
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.core.approvals import Approval, ApprovalChoice, Grant
from intent_lsp.core.content import content_of
from intent_lsp.core.records import (
    Contributor,
    Conversation,
    EntityType,
    Event,
    MutationClass,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.diff import file_ranges
from intent_lsp.store.ledger.ledger import Ledger
from tests.support.ledgers import START
from tests.support.repository import Repository

MODELS = {
    "AI": Contributor(EntityType.AI, "example/model-1"),
    "HUMAN": Contributor(EntityType.HUMAN, "human"),
    "MIXED": Contributor(EntityType.MIXED, "example/model-1"),
    "UNKNOWN": Contributor(EntityType.UNKNOWN, "unknown"),
}


@dataclass(frozen=True, slots=True)
class By:
    """Who makes an edit, for which intent, and whether a person approved it."""

    who: str = "AI"
    intent: str | None = "INT-001"
    approved: bool = False


@dataclass(slots=True)
class RecordedRepository:
    """A repository with a ledger. An edit with `by` is recorded, one without is not."""

    repository: Repository
    _count: Iterator[int] = field(default_factory=itertools.count)

    @property
    def root(self) -> Path:
        return self.repository.root

    def write(self, path: str, content: str | bytes | None, by: By | None = None) -> None:
        """Write a file, or delete it."""
        before = self._read(path)
        if content is None:
            (self.root / path).unlink()
        else:
            self.repository.write(path, content)
        if by is not None:
            self._record(path, before, by)

    def append(self, path: str, text: str, by: By | None = None) -> None:
        """Append text to a file that exists or not."""
        self.write(path, (self._read(path) or b"") + text.encode(), by)

    def rename(self, old: str, new: str, by: By | None = None) -> None:
        """Rename a file."""
        before = self._read(old)
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(self.root / old, self.root / new)
        if by is not None:
            self._record(new, before, by, previous=old)

    def grant(self, intent: str, pattern: str, *, minutes: int | None) -> None:
        """Record that a person granted an intent more scope, for some minutes or for good."""
        with self._ledger() as ledger:
            now = self._now()
            expires = None if minutes is None else timestamp(now + timedelta(minutes=minutes))
            ledger.append(
                Event(
                    intent_id=intent,
                    session_id="s1",
                    tool_name="intent/grant",
                    mutation_class=MutationClass.CONFIGURATION,
                    scope_validation=ScopeValidation.EXEMPT,
                    grant=Grant(
                        patterns=(pattern,), reason=None, granted_by="s1", expires_at=expires
                    ),
                )
            )

    def commit(self, message: str = "work", author: str = "") -> str:
        """Commit everything, as `Name <address>` if one is given; return the commit's id."""
        self.repository.git("add", "--all")
        return self.commit_staged(message, author)

    def commit_staged(self, message: str = "work", author: str = "") -> str:
        """Commit the index; return the commit's id."""
        named = [f"--author={author}"] if author else []
        self.repository.git("commit", "--quiet", "--allow-empty", "--message", message, *named)
        return self.repository.git("rev-parse", "HEAD").strip()

    def _read(self, path: str) -> bytes | None:
        place = self.root / path
        return place.read_bytes() if place.is_file() else None

    def _now(self) -> datetime:
        return START + timedelta(seconds=next(self._count))

    def _ledger(self) -> "_Closing":
        return _Closing(Ledger(self.root, self._now, self._new_id))

    def _new_id(self) -> str:
        return f"00000000-0000-4000-8000-{next(self._count):012x}"

    def _record(self, path: str, before: bytes | None, by: By, previous: str | None = None) -> None:
        old, new = content_of(before), content_of(self._read(path))
        talk = Conversation(
            url="s1", contributor=MODELS[by.who], ranges=tuple(file_ranges(old, new))
        )
        file = RecordFile(
            relative_path=path,
            previous_path=previous,
            pre_hash=old.hash,
            post_hash=new.hash,
            conversations=(talk,),
        )
        with self._ledger() as ledger:
            ledger.append(
                Event(
                    intent_id=by.intent,
                    session_id="s1",
                    tool_name="Edit" if by.who == "AI" else "editor/save",
                    mutation_class=MutationClass.BUG_FIX,
                    scope_validation=ScopeValidation.PASS,
                    approval=Approval(choice=ApprovalChoice.ONCE, session_id="s2")
                    if by.approved
                    else None,
                    files=(file,),
                )
            )


@dataclass(slots=True)
class _Closing:
    ledger: Ledger

    def __enter__(self) -> Ledger:
        return self.ledger

    def __exit__(self, *_: object) -> None:
        self.ledger.close()


def without_dates(patch: pytest.MonkeyPatch) -> None:
    """Let commits have the present time: in tests they all have the same."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        if name in os.environ:
            patch.delenv(name)
