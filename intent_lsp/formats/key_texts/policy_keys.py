"""Texts about the keys of the team's policy, for its schema, for hovers and for completion.

Invariant: each key that the reader knows has a text, and so has each word that a key takes.
"""

from typing import Final

from intent_lsp.formats.key_texts.key_text import key_texts

SIDECAR_TEXTS: Final = key_texts(
    """
sidecar: Policy
    The team's policy. Every key in it is optional.
"""
)
"""The text about the key at the root of the policy file."""

DENY_RULE_TEXTS: Final = key_texts(
    """
path_glob: Glob
    A glob relative to the governed root: the paths that no agent may change.
reason: Reason
    Why, as the refusal says it to the agent.
"""
)
"""The texts about the keys of one rule below `deny_mutations`."""

LESSONS_TEXTS: Final = key_texts(
    """
violations: Lessons from refusals
    The file for lessons from edits that were refused, as a path relative to the root.
verification: Lessons from verifications
    The file for lessons from tests and other verifications that failed, as a path relative to the
    root.
"""
)
"""The texts about the keys below `lessons`."""

PRIVACY_TEXTS: Final = key_texts(
    """
authors: Names of people
    Whether blame names the people behind lines.
    - name: Blame names those who committed the records.
    - none: Blame names nobody.
session_ids: Session ids
    How records and `governance_ledger.md` name sessions.
    - plain: Sessions are named by their ids.
    - hashed: Sessions are named by hashes of their ids.
urls: Conversation addresses
    Whether records hold the address of the conversation in which an edit was made.
    - keep: Records hold the address of the conversation, if the agent gave it.
    - drop: Records name the session instead of the conversation's address.
"""
)
"""The texts about the keys below `privacy`."""

POLICY_TEXTS: Final = key_texts(
    """
version: Version
    The number of the policy that refusals name, from 0 to 1,000,000. It changes nothing else.
architectural_constraints: Architectural constraints
    Sentences that everybody is given who selects an intent, whatever the intent.
blocked_tools: Blocked tools
    Names of tools that no agent may call, read-only or not. `*` stands for any characters.
deny_mutations: Denied paths
    Paths that no agent may change, whatever an intent owns.
enforcement: Enforcement for people
    What happens to a person's save that breaks a rule.
    - observe: The save goes through, nothing is shown, and the record says FAIL.
    - warn: The save goes through, the violation is shown, and the record says FAIL.
    - block: A manual save is turned back: the editor shows the text on disk again, and the refused
      text is kept as a draft. An automatic save goes through as with `warn`.
agents: Enforcement for agents
    What happens to an agent's call that breaks a rule. Blocked tools, denied paths and paths
    outside the root are refused in every mode.
    - observe: The call goes through, and the record says FAIL.
    - warn: The call goes through with a warning, and the record says FAIL.
    - block: The call is refused.
agents_inherit: Intent of a new agent
    Whether an agent's new session begins with the intent of an editor.
    - none: An agent's new session begins without an intent.
    - editor: An agent's new session begins with the intent of the only live editor session of the
      same user.
hitl: Human in the loop
    Which calls of agents a person decides about.
    - never: The rules decide alone.
    - out_of_scope: A person decides about calls outside the scope.
    - always: A person decides about every call that no rule refuses, except commands that only
      read, test or build.
hitl_by: Whose answers count
    Where a person may answer. `editor` must be in the list.
    - editor: An answer that a person gives in the editor is accepted.
    - elicitation: What the client of an MCP server answers is accepted too, though the client may
      answer without a person.
hitl_timeout_seconds: Time to answer
    How many seconds the person has, from 1 to 86,400. A call without an answer is then refused.
fail_open: Fail open
    What an internal failure of the gate does to a call that may change files: true allows it, false
    denies it.
contract: Directory contract
    What the gate does to agents' calls that may change files, while `.orchestration/` has entries
    that do not belong there.
    - ignore: What does not belong in `.orchestration/` is ignored.
    - warn: While `.orchestration/` holds something that does not belong there, agents' calls that
      may change files get a warning.
    - deny: While `.orchestration/` holds something that does not belong there, agents' calls that
      may change files are refused.
require_checkout: Checkout required
    Whether agents have to select an intent in every turn.
require_read: Read required
    Whether agents have to read an existing file in this turn before they change it.
complete_on_attempt: Complete on attempt
    Whether a success of the agent's own completion tool, such as `attempt_completion`, completes
    the intent.
spec_iteration_globs: Numbered specifications
    Globs where a new file is a new numbered specification, which agents have to declare as
    INTENT_EVOLUTION.
mutating_tools: Mutating tools
    Names of more tools that change files, `*` for any characters. They win over every other
    classification.
read_only_tools: Read-only tools
    Names of more tools that change no file, `*` for any characters.
history_in_yaml: History in the intents file
    Whether the server writes `recent_history` into the intents file.
record_saves: Records of automatic saves
    How consecutive automatic saves are recorded.
    - runs: Consecutive automatic saves share one record.
    - each: Each save has its own record.
generated: Generated files
    Globs of files that tools leave behind, which need no intent: added to the built-in list. A glob
    that begins with `!` takes files out of it.
ledger: Layout of the ledger
    How the ledger lies on disk.
    - single: The ledger is one tracked file.
    - segments: Each work tree appends to a file of its own, and begins another once git tracks that
      file, so that no tracked file changes.
lessons: Lessons
    The files in which lessons for later agents are written.
privacy: Privacy
    Whether blame names people, and how records name sessions and conversations.
"""
)
"""The texts about the keys below `sidecar`, in the order of requirements section 5."""
