"""One call of a tool: the root and the session that it is about, and the client that asks."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ParamSpec, TypeAlias, TypeVar

from anyio.to_thread import run_sync
from msgspec import Struct

from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.mcp.answers import ToolAnswer, ToolFailure
from intent_lsp.doors.mcp.elicitation import ElicitingClient
from intent_lsp.doors.mcp.handles import NamedSession
from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.fs.resolve import resolve_below

P = ParamSpec("P")
T = TypeVar("T")
ToolResult: TypeAlias = ToolAnswer | ToolFailure
Respond: TypeAlias = Callable[["ToolRequest", Any], Awaitable[ToolResult]]
"""Answers a call whose arguments are valid, and whose root and session are known."""


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


def threaded(respond: Callable[[ToolRequest, Any], ToolResult]) -> Respond:
    """Return an asynchronous function that answers a call by `respond`, run in a thread."""

    async def answer(asked: ToolRequest, given: Any) -> ToolResult:  # noqa: ANN401 - its model
        return await in_thread(respond, asked, given)

    return answer
