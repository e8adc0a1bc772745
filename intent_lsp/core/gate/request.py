"""The gate's request, a person's answer, and the decisions: every fact that judging one edit needs.

Specified in requirements section 6.

Invariant: this module holds values only. The caller looks up every fact before it asks the gate.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChannel, ApprovalChoice
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.control_plane import Drift
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import PeopleAsked
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.scope.scope import Owners, Scope

EDITOR_SAVE: Final = "editor/save"


class Unread(Enum):
    """The value of `FileFact.expected` for a file that the caller never read."""

    NEVER = "never"


class FileFact(Struct, frozen=True, kw_only=True):
    """The facts about one file that an edit would change.

    `path` is relative to the root; for a file outside of the root, it may be as the caller wrote
    it. `expected` is the hash that the caller last read: None if it found no file, Unread.NEVER if
    it never read the file. `current` is the hash on disk now (None: there is no file). These two
    are not looked up for a file outside of the root, nor for a file that the edit reaches through a
    link. `claimed_by` is the session with a live claim on the file, if not this call's agent has
    it. `puts_back`: the edit restores the content from before a violation. `generated`: the file is
    of a kind that tools leave behind.
    """

    path: WorkspacePath
    outside: bool = False
    expected: ContentHash | Unread | None = Unread.NEVER
    current: ContentHash | None = None
    read_this_turn: bool = False
    claimed_by: str | None = None
    puts_back: bool = False
    generated: bool = False


class DeniedPath(Struct, frozen=True):
    """A path that agents may never change, with the glob that denies it and the reason."""

    path: WorkspacePath
    path_glob: str
    reason: str


class CallFacts(Struct, frozen=True, kw_only=True):
    """The facts about an agent's call that a person's save does not have.

    `looking`: by its text, the command changes no file but those that the request names. `blocked`:
    the team's policy blocks the tool. `cited` is the intent that the call names. `checked_out` is
    the intent that the session checked out in this turn. `new_specs` are the paths of numbered
    specifications that do not exist yet. `bootstrap`: the call writes the first intent.
    `unknown_paths` are warnings that the call may change paths which are not known beforehand,
    `warnings` those about unexpected entries of `.orchestration/` that the policy lets pass.
    """

    mutating: bool = True
    looking: bool = False
    blocked: bool = False
    policy_version: int = 1
    cited: str | None = None
    checked_out: str | None = None
    require_checkout: bool = True
    drift: tuple[Drift, ...] = ()
    denied_paths: tuple[DeniedPath, ...] = ()
    require_read: bool = False
    new_specs: tuple[WorkspacePath, ...] = ()
    declared_class: MutationClass | None = None
    hitl: PeopleAsked = PeopleAsked.NEVER
    approval: ApprovalChoice | None = None
    bootstrap: bool = False
    unknown_paths: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class GateRequest(Struct, frozen=True, kw_only=True):
    """One intended edit, with every fact that judging it needs.

    `governed`: governance is on. `active_intent` is the id of the intent that the edit is judged
    under, `scope` that intent's scope. `ignored` maps ids of intents to the patterns in
    `.intentignore` that match them. `owners` returns the owners of a path. `call` is None for a
    person's save.
    """

    tool_name: str = EDITOR_SAVE
    governed: bool
    files: tuple[FileFact, ...]
    active_intent: str | None
    intents: Intents
    ignored: Mapping[IntentId, tuple[str, ...]] = field(default_factory=dict)
    scope: Scope
    owners: Owners
    call: CallFacts | None = None

    @property
    def paths(self) -> tuple[WorkspacePath, ...]:
        """The paths of all files that the edit names."""
        return tuple(fact.path for fact in self.files)

    @property
    def facts_of_call(self) -> CallFacts:
        """The facts about an agent's call; for a save, facts that pass every row for calls."""
        return self.call or CallFacts(require_checkout=False)

    @property
    def only_looks(self) -> bool:
        """Whether the request is for a command whose text shows no change of any file."""
        return self.call is not None and self.call.looking and not self.files

    @property
    def intent(self) -> Intent:
        """The active intent; a made-up one if the intents file does not have it or none is active.

        The made-up intent has the active id, or "" if none is active. It is PLANNED and owns
        nothing. No row of the gate judges by it.
        """
        name = self.active_intent or ""
        return self.intents.get(name) or Intent(id=IntentId(name))


class Allowed(Struct, frozen=True):
    """The decision that the edit is allowed, and is to be recorded with `verdict`."""

    verdict: ScopeValidation
    warnings: tuple[str, ...] = ()


class Denied(Struct, frozen=True, kw_only=True):
    """The decision that the edit is denied, with its reason.

    `details` (keys in snake_case) is sent to the client unchanged. `paths` are the files concerned.
    """

    code: GateCode
    message: str
    details: Mapping[str, object]
    paths: tuple[WorkspacePath, ...] = ()

    @property
    def verdict(self) -> ScopeValidation:
        """FAIL: the verdict to record if the edit happened although the gate denied it."""
        return ScopeValidation.FAIL


class Ask(Struct, frozen=True):
    """The decision to ask a person. `why` is the refusal if the person does not approve."""

    why: Denied


SaveDecision = Allowed | Denied
Decision = Allowed | Denied | Ask


NOT_COUNTED: Final = (
    "an answer that came through the agent's client does not count here; the team's policy would"
    " have to say `hitl_by: [editor, elicitation]`"
)
NOBODY_TO_ASK: Final = "no editor is connected here in which a person could be asked"


class ApprovalAnswer(Struct, frozen=True, kw_only=True):
    """A person's answer when the gate's decision is Ask (row 16).

    `approval` is None if the call is not approved; `feedback` then says why. `can_be_asked`: nobody
    has been asked yet, but a person can be; `feedback` does not count then. `is_nobody`: there is
    no person who can be asked. `session_id` is the session of the person who approved. `final`: the
    call stays denied even if the gate would now allow it, because the person rejected it or the
    request was cancelled. `channel` is how the answer arrived.
    """

    approval: ApprovalChoice | None = None
    feedback: str = NOBODY_TO_ASK
    can_be_asked: bool = False
    final: bool = False
    session_id: str | None = None
    is_nobody: bool = False
    channel: ApprovalChannel = ApprovalChannel.EDITOR

    def counted(self, channels: Collection[ApprovalChannel]) -> "ApprovalAnswer":
        """Return the answer as it counts where the policy accepts approvals from `channels`.

        An approval that came through another channel becomes None, and `feedback` says so.
        """
        if self.approval is None or self.channel in channels:
            return self
        return replace(self, approval=None, feedback=NOT_COUNTED)


NO_ANSWER: Final = ApprovalAnswer(is_nobody=True)
"""The answer where no person can be asked."""
ASKABLE: Final = ApprovalAnswer(can_be_asked=True)
"""The answer before a person is asked."""
