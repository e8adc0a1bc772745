"""Texts about the keys of the intents file, for its schema, for hovers and for completion.

Invariant: each key that the reader knows has a text, and so has each status.
"""

from typing import Final

from intent_lsp.formats.key_texts.key_text import key_texts

ROOT_TEXTS: Final = key_texts(
    """
active_intents: Intents
    The list of intents: the pieces of work of this project, and the files that each of them may
    change.
"""
)
"""The text about the key at the root of the intents file."""

ENTRY_TEXTS: Final = key_texts(
    """
id: Id
    The name of the intent in records and commands, such as `INT-001`: the only key that must be
    there, unique in the file, 1 to 256 characters on one line. It is read as it is written: `001`
    and `no` are ids.
name: Name
    What the intent is called where people read of it.
status: Status
    How far the work is. Absent means PLANNED. Letter case does not matter; PENDING and DRAFT are
    read as PLANNED, ACTIVE as IN_PROGRESS, COMPLETE and DONE as COMPLETED.
    - PLANNED: Not begun. The intent can be selected, which makes it IN_PROGRESS. An intent without
      a status is planned.
    - IN_PROGRESS: Being worked on. The intent can be selected and edited under.
    - BLOCKED: Waiting for something. The intent can be selected and edited under, with a warning.
    - COMPLETED: Done. The intent is closed: it cannot be selected or edited under.
    - ABANDONED: Given up. The intent is closed, as a completed one is.
    - ARCHIVED: Kept for the record. The intent is closed, as a completed one is.
owned_scope: Owned scope
    Globs of the files that an edit for the intent may change, relative to the governed root. A glob
    that begins with `!` takes files out. An empty or absent scope owns nothing. Put globs in
    quotes, because YAML gives `*`, `!` and `{` a meaning.
constraints: Constraints
    Sentences that bind the work. Selecting the intent returns them.
acceptance_criteria: Acceptance criteria
    Sentences that say when the work is done. Selecting the intent returns them.
related_files: Related files
    Paths of files worth reading for this work. Selecting the intent returns those that exist and
    are in scope, with the hash of their content.
recent_history: Recent history
    The newest events of the intent, newest first. The server writes this list only where the policy
    has `history_in_yaml: true`; otherwise it stays as it is.
aliases: Aliases
    Ids that the intent had before. Records and grants under them belong to this intent. An alias
    that is the id of another intent has no effect.
specification_id: Specification
    The requirement that the intent serves, such as `REQ-7`. Refusals and records name it, or the
    intent's id if it is absent.
created_at: Created
    When the intent was written down, in quotes, such as `2026-02-16T12:00:00Z`.
updated_at: Updated
    When the intent last changed, in quotes. The server moves a date that is there when it changes
    the status or the scope, and adds none.
"""
)
"""The texts about the keys of one intent, in the order in which they are written."""

STATUS_TEXTS: Final = ENTRY_TEXTS["status"].words
"""What each status means, in the order in which they are proposed."""
