"""Carries out a plan of registrations, and records it as a person's edit (requirements section 5).

Invariant: a plan's files in the root are changed and recorded under the root's lock, if
`.orchestration/.local` can be used, so that no watcher takes the change for somebody else's.
"""

from collections.abc import Sequence
from typing import Final

from intent_lsp.core.content import content_of, hash_if_there
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import (
    HUMAN,
    Conversation,
    Event,
    MutationClass,
    RecordFile,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.diff import file_ranges
from intent_lsp.formats.registrations.registration import Place
from intent_lsp.governance.agents.registration_plan import PlannedFile, RegistrationFiles
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.judging.edit_events import related_to
from intent_lsp.store.fs.transaction import WorkFile, change_files, remove_empty_directories
from intent_lsp.store.ledger.ledger import Appended, Queued
from intent_lsp.store.locks.root_lock import holding

INSTALL_TOOL: Final = "agents/install"
"""The tool name in records of what registering hosts has written."""

UNINSTALL_TOOL: Final = "agents/uninstall"
"""The tool name in records of what unregistering hosts has written."""


def carry_out(
    governance: Governance,
    at: RegistrationFiles,
    files: Sequence[PlannedFile],
    tool: str,
    *,
    written: Sequence[PlannedFile] = (),
) -> Appended | Queued | None:
    """Change the files of a plan, and record those in the root as one edit by a person.

    `written` are files that have been written already, and are recorded with the others. `tool` is
    the record's tool name. Files in the home directory change last, and are not recorded.
    Directories from which files were removed are removed, too, if they are empty. Return the
    outcome of recording, or None if no content in the root has changed. Raise FileChangedError if a
    file has changed since the plan was made, UnsafePathError, OSError, or the errors of
    `Ledger.append_or_queue`.
    """
    root = governance.root
    inside = [file for file in files if file.place is not Place.HOME]
    outcome: Appended | Queued | None = None
    with holding(governance.stores.gate_lock):
        change_files(root, map(_work_file, inside))
        recorded = [each for each in (*written, *inside) if each.before != each.after]
        if recorded:
            for file in recorded:
                # So that a diff can be shown.
                governance.contents.keep(file.before)
                governance.contents.keep(file.after)
            event = veiled(_event(governance, recorded, tool), governance.rules.current().policy)
            outcome = governance.stores.ledger.append_or_queue(event)
    change_files(at.home, (_work_file(file) for file in files if file.place is Place.HOME))
    for place in Place:
        gone = [file.path for file in files if file.place is place and file.after is None]
        remove_empty_directories(at.base(place), gone)
    return outcome


def _work_file(file: PlannedFile) -> WorkFile:
    return WorkFile(
        path=file.path,
        data=file.after,
        before=file.before,
        executable=file.executable and file.after is not None,
    )


def _event(governance: Governance, files: Sequence[PlannedFile], tool: str) -> Event:
    stores = governance.stores
    editor = governance.sessions.asker(None)
    session_id = stores.new_id() if editor is None else editor.session_id
    kind = MutationClass.CONFIGURATION
    return Event(
        session_id=session_id,
        tool_name=tool,
        mutation_class=kind,
        scope_validation=ScopeValidation.EXEMPT,
        vcs=Vcs(revision_id=stores.revision()),
        files=tuple(
            RecordFile(
                relative_path=file.path,
                pre_hash=hash_if_there(file.before),
                post_hash=hash_if_there(file.after),
                conversations=(
                    Conversation(
                        url=session_id,
                        contributor=HUMAN,
                        ranges=file_ranges(content_of(file.before), content_of(file.after)),
                        related=related_to(None, kind),
                    ),
                ),
            )
            for file in files
        ),
    )
