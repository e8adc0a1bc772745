"""The team's policy: what `constraints.sidecar.yaml` says, and the defaults.

Specified in requirements section 5.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Enforcement(StrEnum):
    """What becomes of an editor's save that breaks a rule."""

    OBSERVE = "observe"
    WARN = "warn"
    BLOCK = "block"


class PeopleAsked(StrEnum):
    """When a person approves an agent's edit (`hitl`)."""

    NEVER = "never"
    OUT_OF_SCOPE = "out_of_scope"
    ALWAYS = "always"


class ContractRule(StrEnum):
    """What contract drift does to agents' edits."""

    IGNORE = "ignore"
    WARN = "warn"
    DENY = "deny"


class LedgerForm(StrEnum):
    """How records are laid out on disk (ledger section 3)."""

    SINGLE = "single"
    SEGMENTS = "segments"


class SessionIds(StrEnum):
    """How session ids stand in records."""

    PLAIN = "plain"
    HASHED = "hashed"


class Urls(StrEnum):
    """Whether conversation URLs stand in records."""

    KEEP = "keep"
    DROP = "drop"


class RecordSaves(StrEnum):
    """Whether consecutive automatic saves are one record, or each is one."""

    RUNS = "runs"
    EACH = "each"


class AuthorNames(StrEnum):
    """Whether blame names people."""

    NAME = "name"
    NONE = "none"


LESSONS_FILES = ("AGENT.md", "CLAUDE.md")
"""Where lessons stand if the team says nothing: of violations, and of verifications."""

AGENTS_FILE = "AGENTS.md"
"""What takes the place of either where it is not there, and this is."""


@dataclass(frozen=True, slots=True)
class DenyRule:
    """Paths that no agent may change, and why."""

    path_glob: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamPolicy:
    """Every value of the sidecar; the defaults are those of requirements section 5."""

    version: int = 1
    architectural_constraints: tuple[str, ...] = ()
    blocked_tools: tuple[str, ...] = ()
    deny_mutations: tuple[DenyRule, ...] = ()
    enforcement: Enforcement = Enforcement.WARN
    hitl: PeopleAsked = PeopleAsked.NEVER
    hitl_timeout_seconds: int = 60
    fail_open: bool = True
    contract: ContractRule = ContractRule.DENY
    require_checkout: bool = True
    require_read: bool = False
    complete_on_attempt: bool = True
    spec_iteration_globs: tuple[str, ...] = (
        "specs/[0-9][0-9][0-9]-*/**",
        "specs/[0-9][0-9][0-9]-*",
    )
    mutating_tools: tuple[str, ...] = ()
    read_only_tools: tuple[str, ...] = ()
    history_in_yaml: bool = False
    record_saves: RecordSaves = RecordSaves.RUNS
    generated: tuple[str, ...] = ()
    """Globs of what tools leave behind, beside those of `core.generated`."""
    ledger: LedgerForm = LedgerForm.SINGLE
    lessons_violations: str = LESSONS_FILES[0]
    lessons_verification: str = LESSONS_FILES[1]
    authors: AuthorNames = field(default=AuthorNames.NAME)
    session_ids: SessionIds = field(default=SessionIds.PLAIN)
    urls: Urls = field(default=Urls.KEEP)
