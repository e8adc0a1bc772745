"""A question to the gate and its answers: every fact that one judgement needs.

Specified in requirements section 6.

Invariant: values only; whoever asks has looked everything up before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.intent_lists import Owners
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import PeopleAsked
from intent_lsp.core.records import ApprovalChoice, MutationClass, ScopeValidation
from intent_lsp.core.scope.scope import Scope

EDITOR_SAVE: Final = "editor/save"


class Unread(Enum):
    """The hash of a file that the asker never read."""

    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFact:
    """What is known of one file that an edit would change.

    `path` is relative to the root; of a file outside it is what the asker called it. `expected` is
    the hash the asker last read (None: read as absent); `current` the disk's now (None: absent).
    `claimed_by` is another session with an open claim on it. `puts_back`: the edit makes it again
    what it was before it was changed out of bounds. `generated`: tools leave such files behind.
    """

    path: WorkspacePath
    outside: bool = False
    expected: ContentHash | Unread | None = Unread.NEVER
    current: ContentHash | None = None
    read_this_turn: bool = False
    claimed_by: str | None = None
    puts_back: bool = False
    generated: bool = False


@dataclass(frozen=True, slots=True)
class Drift:
    """What is wrong with an entry of `.orchestration/` (contract drift, requirements section 2)."""

    path: WorkspacePath
    problem: str


@dataclass(frozen=True, slots=True)
class DeniedPath:
    """A path that agents may never change, the glob that says so and why."""

    path: WorkspacePath
    path_glob: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """What judging an agent's call needs beside the question.

    `looking`: as far as its text tells, it changes nothing but the question's files. `cited` is the
    intent that the call itself names; `checked_out` the one that the session chose
    in this turn. `new_specs` are the numbered specs among the paths that do not exist yet.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """One edit that wants to happen, with every fact that its judgement needs.

    `active_intent` is the one it is judged under; `call` is None for a person's save.
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
        """Every path that the edit names."""
        return tuple(fact.path for fact in self.files)

    @property
    def only_looks(self) -> bool:
        """Whether it is a command that, as far as its text tells, changes nothing of anybody's."""
        return self.call is not None and self.call.looking and not self.files

    @property
    def intent(self) -> Intent:
        """The active intent; rows that ask for it run only where it is known."""
        name = self.active_intent or ""
        return self.intents.get(name) or Intent(id=IntentId(name))


@dataclass(frozen=True, slots=True)
class Allowed:
    """The edit may happen."""

    verdict: ScopeValidation
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The edit may not happen; `details` is verbatim what the wire carries (snake_case)."""

    code: GateCode
    message: str
    details: Mapping[str, object]
    paths: tuple[WorkspacePath, ...] = ()

    @property
    def verdict(self) -> ScopeValidation:
        """What a record of it says when it happened anyway."""
        return ScopeValidation.FAIL


@dataclass(frozen=True, slots=True)
class Ask:
    """A person decides; `why` is the refusal that stands unless they approve."""

    why: Denied


SaveDecision = Allowed | Denied
Decision = Allowed | Denied | Ask
