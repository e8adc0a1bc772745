"""Texts about the keys of a ledger record, for its schema (ledger section 1).

Invariant: each key of a ledger line has a text, and so has each word that a key takes.
"""

from typing import Final

from intent_lsp.formats.key_texts.key_text import key_texts

CONTRIBUTOR_TEXTS: Final = key_texts(
    """
entity_type: Kind of author
    Who changed the lines.
    - AI: An agent.
    - HUMAN: A person.
    - MIXED: An agent, whose text a person changed before the save.
    - UNKNOWN: Nobody announced the change.
model_identifier: Model
    `human` for people; for agents the model that they named, else `unknown`.
"""
)
"""The texts about the keys of `contributor`."""

RANGE_TEXTS: Final = key_texts(
    """
start_line: First line
    The first changed line, counted from 1 in the new content. If lines were only deleted, the line
    above them, or 1 at the top. 0 if the new content has no line.
end_line: Last line
    The last changed line, included. For a pure deletion, the first line again.
content_hash: Hash of the lines
    The hash of the lines, without the line break after the last one. Lines that are moved keep it.
replaced: Replaced lines
    The first old line, the number of old lines and the number of new lines. Absent if the contents
    were not compared line by line.
fallback: Whole file
    `true`: the contents were not compared line by line, and the range is the whole file.
"""
)
"""The texts about the keys of an item of `ranges`."""

RELATED_TEXTS: Final = key_texts(
    """
type: Kind
    `specification`, `mutation_class` or `imported`.
value: Value
    Of a `specification`, the intent's specification, or the intent's id if it has none; of a
    `mutation_class`, the class; of `imported`, the format that the record was imported from.
"""
)
"""The texts about the keys of an item of `related`."""

CONVERSATION_TEXTS: Final = key_texts(
    """
url: Address
    The session, or the address that the agent gave for its conversation.
contributor: Author
    Who changed the lines.
ranges: Ranges
    The runs of changed lines, ascending. Empty for a pure rename and for a failed call.
related: Related
    What the edit belongs to, such as a specification.
"""
)
"""The texts about the keys of an item of `conversations`."""

FINGERPRINT_TEXTS: Final = key_texts(
    """
parser: Parser
    The program that parsed the file, such as `tree-sitter`.
language: Language
    The language as which the file was parsed, such as `python`.
summary_hash: Hash of the file's definitions
    A hash of the nesting, kinds and names of the file's definitions.
"""
)
"""The texts about the keys of `ast_fingerprint`."""

FILE_TEXTS: Final = key_texts(
    """
relative_path: Path
    The path of the file below the governed root.
path_encoding: Encoding of the path
    `percent`: a name is not UTF-8, and each byte that does not decode stands as `%XX`.
previous_path: Path before
    The path from which the edit renamed the file.
pre_hash: Hash before
    The hash of the file's bytes before the edit; null if there was no file, or its content is not
    known.
post_hash: Hash after
    The hash of the file's bytes after the edit; null if there was no file, or its content is not
    known.
ast_fingerprint: Definitions
    A hash of the definitions in the file, such as functions and classes. Absent if the file was not
    parsed.
conversations: Conversations
    The sessions and chats in which lines of the file were changed.
"""
)
"""The texts about the keys of an item of `files`."""

VCS_TEXTS: Final = key_texts(
    """
revision_id: Commit
    The commit that was checked out, or `UNKNOWN`.
"""
)
"""The text about the key of `vcs`."""

APPROVAL_TEXTS: Final = key_texts(
    """
choice: Choice
    What the person approved.
    - once: This edit alone.
    - expanded: The edit, and a wider scope of the intent.
session_id: Session
    The session in which the approval was given.
channel: Channel
    `elicitation`: the answer came through the agent's own client, which may have given it without a
    person. Absent: it came from an editor.
"""
)
"""The texts about the keys of `approval`."""

GRANT_TEXTS: Final = key_texts(
    """
patterns: Globs
    The globs that the grant adds to the intent's scope.
reason: Reason
    Why the scope was asked for, or null.
granted_by: Granted by
    The session of the person who granted it.
expires_at: Expires
    When the grant ends, or null if it does not end.
channel: Channel
    `elicitation`: the answer came through the agent's own client, which may have given it without a
    person. Absent: it came from an editor.
"""
)
"""The texts about the keys of `grant`."""

INTEGRITY_TEXTS: Final = key_texts(
    """
chain: Hash function
    The hash function of the chain: `sha256`.
canonical: Canonical form
    The form of JSON in which the record is hashed: `rfc8785`.
prev_record_hash: Hash of the record before
    `record_hash` of the record before; null in the first.
merges: Merged heads
    `record_hash` of further records that this one follows.
record_hash: Hash of this record
    The hash of this record without this key.
"""
)
"""The texts about the keys of `integrity`."""

RECORD_TEXTS: Final = key_texts(
    """
id: Id
    The id of the record: a UUID of version 4.
timestamp: Time
    When the edit was recorded: RFC 3339 in UTC with milliseconds and `Z`.
intent_id: Intent
    The intent under which the edit was judged; null if none was active.
intent_hash: Hash of the intent
    The hash of the intent's id, scope, constraints and criteria at that moment; null without an
    intent.
session_id: Session
    The session of the editor or the agent, or a hash of it where the policy says so.
agent_id: Subagent
    The id of the session's subagent that made the edit.
tool_name: Tool
    The agent's tool, or `editor/save`, `disk/change` and the like (ledger section 1.4).
mutation_class: Class
    What kind of change the edit was.
    - AST_REFACTOR: A change of names, order or layout alone. Also an agent's call that declared no
      class, unless it only creates or only deletes files.
    - INTENT_EVOLUTION: A change of behaviour.
    - BUG_FIX: A correction; only where it was declared.
    - DOCUMENTATION: A change of comments and prose alone.
    - CONFIGURATION: A change of configuration, or a grant.
    - FILE_CREATION: A new file.
    - FILE_DELETION: A deleted file.
inferred: Inferred
    `true`: nobody declared the class; the server chose it.
scope_validation: Verdict
    Whether the edit was within the rules.
    - PASS: The gate allowed the edit, or a person approved it.
    - FAIL: A rule refused the edit, and it happened nevertheless.
    - EXEMPT: The scope did not decide about the edit, for example because the file is generated, or
      because governance was off.
success: Success
    `false`: a tool call was reported as failed.
error: Error
    Why the call failed, on one line; only where it did.
concurrent_modification: Concurrent modification
    `true`: somebody else changed one of the edit's files meanwhile.
assumed: Assumed
    `true`: who made the change, and so its intent, is a guess.
compared: Compared
    `false`: the work tree could not be compared around a command, so that files may be missing.
reconstructed: Reconstructed
    `true`: the session database was deleted while the command ran, and the command's ticket is the
    one that the server remembered.
refused_call_hash: Refused call
    The hash of an agent's call: the call was refused, and what it would write has appeared in a
    file nevertheless.
approval: Approval
    How a person approved the edit.
grant: Grant
    Scope that a person granted to the intent.
vcs: Version control
    What git had checked out.
files: Files
    The files of the edit, at most 10,000. Empty for a grant, and for a command whose files are not
    known.
integrity: Integrity
    The record's place in the chain, and its own hash.
"""
)
"""The texts about the keys of a record, in the order on the line."""
