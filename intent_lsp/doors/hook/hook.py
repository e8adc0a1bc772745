"""Answers one event of an agent host: reads it, asks governance in time, writes the answer.

Invariant: the answer is written once, in the host's own form, whatever happens.
Invariant: without a governed root nothing is said and nothing is written.
"""

import io
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TextIO

from intent_lsp.core.agents.hook_event import SILENCE, HookAnswer, HookEvent, HookKind
from intent_lsp.core.errors import InvalidCallError
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.doors.hook.standard_input import UnreadInputError, read_input
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.payload import Payload, WrongPayloadError, read_payload
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.hooks.hook_events import HookEvents
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.fs.roots import governed_root

INTENT_VARIABLE: Final = "INTENT_LSP_INTENT"
"""The environment variable with the intent that a person has chosen for new sessions."""

_SHARE: Final = 0.5
"""The share of the host's time limit that a hook may take."""

_READING_SHARE: Final = 0.2
"""The share of the host's time limit in which the event must have come."""

_USAGE: Final = 1


@dataclass(frozen=True, slots=True)
class HookCall:
    """One run of the hook: the host, the event's name if it was given, and where it runs."""

    host: Host
    event: str | None
    environment: Mapping[str, str]
    cwd: str

    @property
    def unread_event(self) -> str:
        """The name of the event, as far as it is known before the payload is read."""
        if self.event is not None:
            return self.event
        asking = (n for n, kind in self.host.events.items() if kind is HookKind.BEFORE_TOOL)
        return next(asking)

    @property
    def may_refuse(self) -> bool:
        """Whether the event can be a call that is about to be made."""
        kind = self.host.events.get(self.unread_event, HookKind.OTHER)
        return kind is HookKind.BEFORE_TOOL


def run_hook(host_name: str, event: str | None) -> int:
    """Answer the event on standard input, and return the exit status (protocol section 5)."""
    # A traceback on standard error would be shown to the model as the reason of a refusal.
    logging.getLogger().addHandler(logging.NullHandler())
    host = HOSTS.get(host_name)
    if host is None:
        names = " ".join(HOSTS)
        sys.stderr.write(f"intent-lsp: {host_name} is not an agent host; use one of: {names}\n")
        return _USAGE
    if host.silent_under is not None and host.silent_under in os.environ:
        host = replace(host, refusal_status=0)
    call = HookCall(host, event, os.environ, str(Path.cwd()))
    answer = _in_time(call, lambda: read_input(0, host.limit_seconds * _READING_SHARE))
    _write(sys.stdout, answer.stdout)
    _write(sys.stderr, answer.stderr)
    return answer.status


def answer_hook(call: HookCall, read: Callable[[], bytes]) -> HookAnswer:
    """Return the answer to the event that `read` returns the payload of."""
    return _Answering(call).answer(read)


@dataclass(slots=True)
class _Answering:
    """Answers one event. `root` is its governed root as soon as that is known."""

    call: HookCall
    root: Path | None = None
    event: HookEvent | None = None

    def answer(self, read: Callable[[], bytes]) -> HookAnswer:
        """Read the event and return its answer."""
        try:
            payload = read_payload(read())
        except (UnreadInputError, WrongPayloadError) as problem:
            self.root = governed_root(self.call.cwd)
            return self._unjudged(str(problem), problem.cure)
        except OSError as problem:
            self.root = governed_root(self.call.cwd)
            return self._unjudged(f"standard input cannot be read: {problem.strerror}", "")
        try:
            return self._governed(payload)
        except (WrongPayloadError, InvalidCallError) as problem:
            return self._unjudged(str(problem), problem.cure)
        except Exception as problem:  # noqa: BLE001 - our own failure, whatever it is
            return self.failed(str(problem) or type(problem).__name__)

    def failed(self, problem: str) -> HookAnswer:
        """Return the answer if we ourselves fail: silence, or a refusal if the policy says so."""
        if self.root is None or not self._asks() or _fails_open(self.root):
            return SILENCE
        said = f"Governance Unavailable: {problem}. fail_open is false; mend it or ask the team."
        return self.call.host.refusal(self._event_name(), said)

    def _governed(self, payload: Payload) -> HookAnswer:
        host = self.call.host
        self.root = governed_root(self.call.cwd)
        event = host.read(payload, self.call.event)
        start = event.cwd or self.call.cwd
        event = self.event = replace(event, cwd=start)
        if not Path(start).is_absolute():
            raise InvalidCallError(f"the working directory {start!r} is not an absolute path")
        self.root = _root_of(event, start)
        if self.root is None:
            return SILENCE
        wanted = self.call.environment.get(INTENT_VARIABLE) or None
        with Governance(self.root) as governance:
            decision = HookEvents(governance, host, wanted).answer(event)
        if decision.refusal is not None:
            return host.refusal(event.name, decision.refusal)
        return host.permission(event, decision.note)

    def _unjudged(self, problem: str, cure: str) -> HookAnswer:
        """Return the answer to an event that cannot be judged: a refusal, if it asks for a call."""
        if self.root is None:
            return SILENCE
        said = f"intent-lsp cannot judge this call: {problem}" + (f"; {cure}" if cure else "")
        if not self._asks():
            return HookAnswer(stderr=said + "\n")
        return self.call.host.refusal(self._event_name(), said)

    def _asks(self) -> bool:
        if self.event is None:
            return self.call.may_refuse
        return self.event.kind is HookKind.BEFORE_TOOL

    def _event_name(self) -> str:
        return self.call.unread_event if self.event is None else self.event.name


def _in_time(call: HookCall, read: Callable[[], bytes]) -> HookAnswer:
    """Return the answer to an event, or the answer of a failure if it takes too long."""
    answering = _Answering(call)
    found: list[HookAnswer] = []
    thread = threading.Thread(target=lambda: found.append(answering.answer(read)), daemon=True)
    seconds = call.host.limit_seconds * _SHARE
    thread.start()
    thread.join(seconds)
    return found[0] if found else answering.failed(f"it was not judged within {seconds:g} s")


def _root_of(event: HookEvent, start: str) -> Path | None:
    """Return the root that governs an event: that of its first file, else of its directory.

    Relative paths begin at the directory `start`.
    """
    paths = () if event.call is None else event.call.paths
    for path in (*paths[:1], ""):
        root = governed_root(os.path.join(start, path))  # noqa: PTH118 - keeps an absolute path
        if root is not None:
            return root
    return None


def _fails_open(root: Path) -> bool:
    try:
        return RulesCache(root).current().policy.fail_open
    except Exception:  # noqa: BLE001 - the default of the policy, if it cannot be read
        return TeamPolicy().fail_open


def _write(stream: TextIO, text: str) -> None:
    """Write a text at once. A host that no longer listens is no failure."""
    data = text.encode("utf-8", "replace")
    with suppress(OSError, ValueError), io.FileIO(stream.fileno(), "w", closefd=False) as raw:
        while data:
            data = data[raw.write(data) or 0 :]
