"""One call of a tool: the root and the session that it is about, and the client that asks.

Invariant: a handle, the secret name of a session, is drawn at random, and accepted only if the root
that a call is about has given it out. So no caller can act for an editor's session.
Invariant: who reads a session's id in a record cannot act for that session. This does not hold
without a session database: the id is then the handle.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

from anyio.to_thread import run_sync
from msgspec import Struct

from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.mcp.answers import ToolAnswer, ToolFailure
from intent_lsp.doors.mcp.elicitation import ElicitingClient
from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.state.session_row import HANDLE

P = ParamSpec("P")
T = TypeVar("T")
ToolResult: TypeAlias = ToolAnswer | ToolFailure
Respond: TypeAlias = Callable[["ToolRequest", Any], ToolResult | Awaitable[ToolResult]]
"""Answers a call whose arguments are valid, and whose root and session are known.

It is called in a thread, since it may wait on the disk. A coroutine that it returns is awaited in
the event loop."""


class NamedSession(NamedTuple):
    """An agent's session, or a subagent of one, and the handle that stands for it."""

    handle: str
    session: Session


class ToolRequest(Struct, frozen=True, kw_only=True):
    """A call of a tool, on the root of `governance`, by `client`.

    `named` is the caller's session with its handle, or None if the tool needs no session and none
    was given.
    """

    governance: Governance
    named: NamedSession | None
    client: ElicitingClient
    roots: McpRoots

    @property
    def session(self) -> Session | None:
        """The session that calls, or None if no handle was given."""
        return None if self.named is None else self.named.session

    @property
    def asker(self) -> Session:
        """The session that calls. Raise LookupError if no handle was given."""
        if self.named is None:
            raise LookupError(
                "the tool's code asks for the session of this call, but the tool is declared to"
                " need none, and none was given"
            )
        return self.named.session

    def path(self, spelled: str) -> WorkspacePath:
        """Return a path, absolute or relative to the root, as a path relative to the root.

        Raise WrongParamsError if it is not below the root.
        """
        place = resolve_below(self.governance.root, spelled)
        if place is None:
            raise WrongParamsError("path", f"{spelled!r} is not below {self.governance.root}")
        return place.path


async def in_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run a function that may wait on the disk in a thread, and return its result.

    If the caller is cancelled, the function still runs to its end.
    """
    return await run_sync(partial(work, *arguments, **named))


def new_session(governance: Governance) -> NamedSession:
    """Begin a new session of an agent and return it with a new handle."""
    name = governance.stores.new_id()
    handle = governance.handles.handle(name, "")
    if handle is None:
        # Without a session database the handle is the id: the session ends with this process.
        handle = name = HANDLE + name.replace("-", "")
    return NamedSession(handle, governance.sessions.open_agent(name))


def session_of_handle(governance: Governance, handle: str) -> NamedSession | None:
    """Return the session, or the subagent of one, that a handle stands for.

    A session that has ended is reopened. Return None for an unknown handle, and for a handle of a
    session that is not an agent's. If a hook gave the handle to the agent, return the session that
    the agent's host has.
    """
    if not handle.startswith(HANDLE):
        return None
    known = governance.handles.resolve(handle)
    row = governance.sessions.row(*(known or (handle, "")))
    if (known is None and row is None) or (row is not None and row.kind != "agent"):
        return None
    return NamedSession(handle, governance.sessions.open_agent(*(known or (handle, ""))))
