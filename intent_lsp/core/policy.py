"""The team's policy: the values of `constraints.sidecar.yaml`, and their defaults.

Specified in requirements section 5.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from intent_lsp.core.approvals import ApprovalChannel


class Enforcement(StrEnum):
    """What happens to a save in an editor, or to an agent's call, that breaks a rule.

    OBSERVE: it goes through, and a save shows nothing. WARN: it goes through, with a warning.
    BLOCK: a call is refused. A manual save is refused too, unless the reason is STALE_FILE. Any
    other save gets a warning. In every mode an agent's call is refused if it uses a blocked tool,
    changes a denied path or one outside the root, or was rejected by a person.
    """

    OBSERVE = "observe"
    WARN = "warn"
    BLOCK = "block"


class Inheritance(StrEnum):
    """Which intent an agent's new session begins with, if a person has chosen none for it.

    NONE: none. EDITOR: the one that is active in the only connected editor of the same user; none
    if several of that user's editors are connected.
    """

    NONE = "none"
    EDITOR = "editor"


class PeopleAsked(StrEnum):
    """Which calls of agents a person must approve (`hitl`): none, those out of scope, or all.

    OUT_OF_SCOPE: those that scope alone refuses. ALWAYS: all that may change files and that the
    gate would allow, except commands that, by their text, only read. In every mode a person must
    approve the call that writes the first intent.
    """

    NEVER = "never"
    OUT_OF_SCOPE = "out_of_scope"
    ALWAYS = "always"


class ContractRule(StrEnum):
    """What the gate does to an agent's call that changes something if `.orchestration/` has drift.

    Drift is an entry that is unexpected or of the wrong kind. IGNORE: nothing. WARN: allow the call
    with a warning. DENY: refuse it. A call that changes nothing is not concerned.
    """

    IGNORE = "ignore"
    WARN = "warn"
    DENY = "deny"


class LedgerForm(StrEnum):
    """How the ledger is stored (ledger section 3).

    SINGLE: in one tracked file. SEGMENTS: each work tree appends to a file of its own, and begins a
    new one once git tracks that file.
    """

    SINGLE = "single"
    SEGMENTS = "segments"


class SessionIds(StrEnum):
    """How records name sessions: by their ids (PLAIN) or by hashes of the ids (HASHED)."""

    PLAIN = "plain"
    HASHED = "hashed"


class Urls(StrEnum):
    """Whether records keep the URLs of conversations (KEEP) or not (DROP)."""

    KEEP = "keep"
    DROP = "drop"


class RecordSaves(StrEnum):
    """Whether consecutive automatic saves share one record (RUNS), or each has its own (EACH)."""

    RUNS = "runs"
    EACH = "each"


class AuthorNames(StrEnum):
    """Whether blame shows the names of people (NAME) or not (NONE)."""

    NAME = "name"
    NONE = "none"


LESSONS_FILES = ("AGENT.md", "CLAUDE.md")
"""The default files for lessons (notes for later agents): on violations, on verifications."""

AGENTS_FILE = "AGENTS.md"
"""The file that takes the lessons if a default file for them is missing and this one exists."""


class DenyRule(Struct, frozen=True):
    """A glob of paths that no agent may change, and the reason for the rule."""

    path_glob: str
    reason: str = ""


class TeamPolicy(Struct, frozen=True, kw_only=True):
    """Every value of the policy. The defaults are those of requirements section 5."""

    version: int = 1
    architectural_constraints: tuple[str, ...] = ()
    blocked_tools: tuple[str, ...] = ()
    deny_mutations: tuple[DenyRule, ...] = ()
    enforcement: Enforcement = Enforcement.WARN
    agents: Enforcement = Enforcement.BLOCK
    agents_inherit: Inheritance = Inheritance.NONE
    hitl: PeopleAsked = PeopleAsked.NEVER
    hitl_by: tuple[ApprovalChannel, ...] = (ApprovalChannel.EDITOR,)
    """Whose answers count: always those from the editor, and others if the team trusts them."""
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
    """Globs of files that tools leave behind, added to GENERATED. One with `!` takes files out."""
    ledger: LedgerForm = LedgerForm.SINGLE
    lessons_violations: str = LESSONS_FILES[0]
    lessons_verification: str = LESSONS_FILES[1]
    authors: AuthorNames = AuthorNames.NAME
    session_ids: SessionIds = SessionIds.PLAIN
    urls: Urls = Urls.KEEP


GENERATED: Final = (
    "**/__pycache__/**",
    "**/*.py[co]",
    "**/.pytest_cache/**",
    "**/.mypy_cache/**",
    "**/.ruff_cache/**",
    "**/.hypothesis/**",
    "**/.tox/**",
    "**/.nox/**",
    "**/.ipynb_checkpoints/**",
    "**/.coverage",
    "**/.coverage.*",
    "**/htmlcov/**",
    "**/.nyc_output/**",
    "**/*.egg-info/**",
    "**/*.tsbuildinfo",
    "**/next-env.d.ts",
    "**/.eslintcache",
    "**/.stylelintcache",
    "**/.turbo/**",
    "**/.parcel-cache/**",
    "**/.gradle/**",
    "**/.DS_Store",
    "**/Thumbs.db",
)
"""Globs of files that tools leave behind: caches, coverage, build state.

Edits of these files need no intent that owns them. Files that a person writes or a build needs are
not listed, and neither are lock files.
"""
