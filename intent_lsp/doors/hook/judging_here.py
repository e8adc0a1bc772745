"""Answers an event of an agent host in this process, within the time that the host leaves."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.hook_answer import SHARE_OF_LIMIT, HookAnswer
from intent_lsp.core.agents.hook_event import HookDecision, HookEvent
from intent_lsp.formats.hook_wire import HookRequest
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.governance.hooks.hook_answers import HookAnswering, HookCall

_USAGE: Final = 1


def answer_here(
    request: HookRequest, passed: Callable[[], float], unread: str | None
) -> HookAnswer:
    """Return the answer to an event, or that of `HookAnswering.failed` if judging takes too long.

    `passed` returns how many seconds the hook has taken so far. `unread` is why the event could not
    be read, or None. If it is not None, return the answer of `HookAnswering.unjudged`. For an
    unknown host, the answer is an error message and status 1. After this call, the process logs no
    warnings to standard error.
    """
    # A traceback on standard error would be shown to the model as the reason of a refusal.
    logging.getLogger().addHandler(logging.NullHandler())
    host = HOSTS.get(request.host)
    if host is None:
        names = " ".join(HOSTS)
        said = f"intent-lsp: {request.host} is not an agent host; use one of: {names}\n"
        return HookAnswer("", said, _USAGE)
    call = HookCall.of(host, request.event, request.environment, request.cwd)
    answering = HookAnswering(call, decide_here)
    if unread is not None:
        return answering.unjudged(unread, "")
    return _in_time(answering, request.payload, host.limit_seconds * SHARE_OF_LIMIT, passed)


def decide_here(call: HookCall, root: Path, event: HookEvent) -> HookDecision:
    """Return the decision on an event in a root, made in this process."""
    # Loaded once there is a root: most hooks that no server answers have none.
    from intent_lsp.governance.governance import Governance  # noqa: PLC0415
    from intent_lsp.governance.hooks.hook_events import decide  # noqa: PLC0415

    with Governance(root) as governance:
        return decide(governance, call, event)


def _in_time(
    answering: HookAnswering, data: bytes, seconds: float, passed: Callable[[], float]
) -> HookAnswer:
    """Return the answer to the event `data`, or that of `HookAnswering.failed` if time runs out.

    The time is over when the hook has run for `seconds` in all. `passed` returns the number of
    seconds that it has run so far.
    """
    found: list[HookAnswer] = []
    thread = threading.Thread(target=lambda: found.append(answering.answer(data)), daemon=True)
    thread.start()
    thread.join(max(0.0, seconds - passed()))
    return found[0] if found else answering.failed(f"the call was not judged within {seconds:g} s")
