"""Edits that break no rule: they restore a file (ADR 0006), or leave the rules of intents alone.

Invariant: an edit of a file that has no record of a violation restores nothing.
Invariant: an intents file that cannot be read counts as changed rules.
"""

from typing import Final

from msgspec.structs import replace

from intent_lsp.core.content import ContentHash, decode
from intent_lsp.core.intents import Intent, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import EntityType, Record, ScopeValidation
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.governance.contents.contents import Contents

_ANY_STATUS: Final = Status.PLANNED


def may_undo(contents: Contents, path: WorkspacePath, *, deleting: bool) -> bool:
    """Return whether deleting a file, or checking it out from HEAD, would undo its violations.

    True only if agents made all these violations, and the file still has the content that they
    left, so that nobody else's work is lost. `deleting` asks about deletion, otherwise about
    checkout. False if the file has no violations. Raise OSError if the file has to be read and
    cannot be.
    """
    if contents.stores.past.newest_passes(path):
        return False
    violations = contents.stores.past.standing_violations(path)
    if not violations or not all(map(_is_agents, violations)):
        return False
    if contents.hash_of(path) != _ends(violations[0], path)[1]:
        return False
    if deleting:
        return _created(contents, violations[-1], path)
    return _ends(violations[-1], path)[0] == contents.head(path).hash


def puts_back(contents: Contents, path: WorkspacePath, new: ContentHash | None) -> bool:
    """Return whether a change to the content `new` (None: deletion) undoes a file's violation.

    True if the file's newest record is a FAIL, and `new` is the content before that record or the
    content in HEAD. A deletion undoes the violation only if that record created the file.
    """
    newest = contents.stores.past.newest(path)
    if newest is None or newest.scope_validation is not ScopeValidation.FAIL:
        return False
    if new is None:
        # A deletion is no restoration just because HEAD lacks the file: it may hold uncommitted
        # work.
        return _created(contents, newest, path)
    return new in (_ends(newest, path)[0], contents.head(path).hash)


def _created(contents: Contents, record: Record, path: WorkspacePath) -> bool:
    """Return whether there was no file at a path before a record's change, as far as is known.

    A record has no earlier hash of a file if there was no file, or if the content was unknown. The
    latter is assumed if the record has a range for the whole file (`fallback`), and the content
    after the change is a text that is kept.
    """
    before, left = _ends(record, path)
    if before is not None:
        return False
    talks = (talk for file in record.files if file.path == path for talk in file.conversations)
    whole = any(run.fallback for talk in talks for run in talk.ranges)
    return not whole or contents.kept(left).lines is None


def _is_agents(record: Record) -> bool:
    """Return whether an agent certainly made the change of a record."""
    talks = [talk for file in record.files for talk in file.conversations]
    by_agents = all(talk.contributor.entity_type is EntityType.AI for talk in talks)
    return by_agents and not record.is_assumed


def _ends(record: Record, path: WorkspacePath) -> tuple[ContentHash | None, ContentHash | None]:
    """Return a path's hashes before and after a record's change.

    Both are None if the record does not name the path.
    """
    ends = ((file.pre_hash, file.post_hash) for file in record.files if file.path == path)
    return next(ends, (None, None))


def only_bookkeeping(before: bytes, after: bytes) -> bool:
    """Return whether two contents of the intents file give every intent the same rules.

    Of what the server reads, only `status`, `recent_history` and `updated_at` may differ: the
    server itself writes these. False if a content cannot be read.
    """
    rules = _rules(before)
    return rules is not None and rules == _rules(after)


def _rules(data: bytes) -> tuple[Intent, ...] | None:
    text = decode(data)
    read = None if text is None else read_intents(text.text)
    if read is None or not read.parsed:
        return None
    return tuple(
        replace(intent, status=_ANY_STATUS, recent_history=(), updated_at=None)
        for intent in read.intents
    )
