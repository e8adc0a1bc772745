"""Whether an agent made a change, or the server changed the intents file for an agent.

Who made a change follows from the file's own records, the names in the commit, and the other
records of the change. For an agent the server sets an intent's status to IN_PROGRESS or COMPLETED,
adds to its history, sets `updated_at`, and adds scope that people granted.

Specified in requirements sections 3.6 and 14.

Invariant: records of the changed file with a known author decide first, then names in the commit,
then other records.
Invariant: a name or an address is matched as a whole, except for `(aider)` in a name.
Invariant: a closed intent that is open again never counts as the server's change.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.check.commit import CommitFacts
from intent_lsp.core.intents import Intent, Intents, Status
from intent_lsp.core.records import EntityType

_AGENTS: Final = (EntityType.AI, EntityType.MIXED)

AGENT_ADDRESSES: Final = (
    "noreply@anthropic.com",
    "noreply@openai.com",
    "cursoragent@cursor.com",
    "aider@aider.chat",
    "amp@ampcode.com",
    "noreply@opencode.ai",
    "qwen-coder@alibabacloud.com",
    "openhands@all-hands.dev",
)
"""Mail addresses with which coding agents sign commits."""

AGENT_ACCOUNTS: Final = (
    "claude",
    "claude[bot]",
    "chatgpt-codex-connector[bot]",
    "copilot",
    "copilot-swe-agent[bot]",
    "cursor[bot]",
    "devin-ai-integration[bot]",
    "gemini-cli",
    "gemini-cli-robot",
    "gemini-code-assist[bot]",
    "google-labs-jules[bot]",
    "opencode-agent[bot]",
    "sweep-ai[bot]",
)
"""Accounts at a forge that are coding agents: the name before `@users.noreply…`."""

AGENT_NAMES: Final = (
    *(account for account in AGENT_ACCOUNTS if account.endswith("[bot]")),
    *("codex", "copilot", "cursor agent", "gemini-cli", "opencode"),
)
"""Names of authors that are coding agents. `claude` is left out: a person may be called Claude."""

_TRAILERS: Final = re.compile(
    r"^(?:co-authored-by|assisted-by|generated-by)[ \t]*:[ \t]*(.+?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_IDENTITY: Final = re.compile(r"(.*?)\s*<([^<>]*)>?\s*")
_FORGE: Final = re.compile(r"(?:\d+\+)?(.+)@users\.noreply\.[^@]+")
_BY_AIDER: Final = re.compile(r".*\(aider\)", re.IGNORECASE)


def agent_named(commit: CommitFacts, further: Sequence[str] = ()) -> str | None:
    """Return the first of a commit's author, committer and co-authors that is a coding agent.

    The result is a signature such as `Name <address>`, or None if none is an agent's. Co-authors
    are those in lines `Co-authored-by: …`, `Assisted-by: …` and `Generated-by: …` of the message.
    `further` are more names or addresses of agents; letter case is ignored.
    """
    more = frozenset(each.casefold() for each in further)
    signed = (commit.author, commit.committer, *_TRAILERS.findall(commit.message))
    return next((each for each in signed if _is_agent(each, more)), None)


def agents_of(types: Iterable[EntityType]) -> bool | None:
    """Return whether the authors of records are agents, from the types of all these authors.

    True if one is AI or MIXED, whatever the others are; else False if one is HUMAN, else None.
    """
    told = set(types)
    if not told.isdisjoint(_AGENTS):
        return True
    return False if EntityType.HUMAN in told else None


def agent_evidence(
    own: Iterable[EntityType], named: str | None, others: Iterable[EntityType]
) -> str | None:
    """Return why a change of one file counts as an agent's, as a clause, or None if it does not.

    `own` are the authors of the file's own records in the change. If these say whether an agent or
    a person made it, that decides. Else `named` does, the agent that the commit names, if any; else
    `others`, the authors of all records of the change, if one is an agent.
    """
    by_own = agents_of(own)
    if by_own is not None:
        return "a record of this file names an agent" if by_own else None
    if named is not None:
        return f"the commit names the agent {named}"
    if agents_of(others):
        return (
            "no record says who changed this file, and other records of the change name an agent,"
            " so that an agent is assumed"
        )
    return None


GrantedGlobs = Callable[[Intent], Collection[str]]
"""Returns the globs that people have granted an intent for good."""


def only_by_server(before: Intents, after: Intents, granted: GrantedGlobs) -> bool:
    """Whether the intents differ only by what the server writes in an agent's name.

    That is: a status that goes from PLANNED to IN_PROGRESS, or from any open status to COMPLETED;
    `recent_history`; `updated_at`; and at the end of an owned scope, globs that `granted` returns
    for the intent. Equal intents give True; intents in another order do not.
    """
    pairs = list(zip(before, after, strict=False))
    return len(before) == len(after) and all(
        _goes_on(old.status, new.status)
        and _same_rules(old, new)
        and _only_granted(old, new, granted)
        for old, new in pairs
    )


def _is_agent(signed: str, further: Collection[str]) -> bool:
    """Whether a signature `Name <address>` is an agent's.

    `further` are more names and addresses of agents, in lower case.
    """
    found = _IDENTITY.fullmatch(signed)
    name, address = (signed.strip(), "") if found is None else (found[1].strip(), found[2].strip())
    name, address = name.casefold(), address.casefold()
    account = _FORGE.fullmatch(address)
    return (
        _BY_AIDER.match(name) is not None
        or name in AGENT_NAMES
        or address in AGENT_ADDRESSES
        or not {name, address}.isdisjoint(further)
        or (account is not None and account[1] in AGENT_ACCOUNTS)
    )


def _goes_on(old: Status, new: Status) -> bool:
    if old is new:
        return True
    if new is Status.IN_PROGRESS:
        return old is Status.PLANNED
    return new is Status.COMPLETED and not old.closed


def _same_rules(old: Intent, new: Intent) -> bool:
    return old == replace(
        new,
        status=old.status,
        owned_scope=old.owned_scope,
        recent_history=old.recent_history,
        updated_at=old.updated_at,
    )


def _only_granted(old: Intent, new: Intent, granted: GrantedGlobs) -> bool:
    count = len(old.owned_scope)
    added = new.owned_scope[count:]
    if new.owned_scope[:count] != old.owned_scope:
        return False
    return not added or set(added) <= set(granted(new))
