"""The answer to one event of an agent host, in the host's own form, whatever happens.

Invariant: without a governed root nothing is said and nothing is written.
Invariant: the code that decides is imported only for a governed root, so that other hooks end
quickly.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.hook_answer import SILENCE, HookAnswer
from intent_lsp.core.agents.hook_event import HookDecision, HookEvent, HookKind
from intent_lsp.core.errors import InvalidCallError, RequestLimitError
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.payload import Payload, WrongPayloadError, read_payload
from intent_lsp.store.fs.roots import governed_root


class ElsewhereError(Exception):
    """An event belongs to a root that this process does not govern."""


class HookCall(Struct, frozen=True):
    """One run of the hook: the host, the event's name if it was given, and environment variables.

    `cwd` is the working directory of the hook's process.
    """

    host: Host
    event: str | None
    environment: Mapping[str, str]
    cwd: str

    @classmethod
    def of(
        cls, host: Host, event: str | None, environment: Mapping[str, str], cwd: str
    ) -> "HookCall":
        """Return a run of the hook.

        If the environment has the variable that the host's `silent_under` names, refusals exit with
        status 0.
        """
        if host.silent_under is not None and host.silent_under in environment:
            host = replace(host, refusal_status=0)
        return cls(host, event, environment, cwd)

    @property
    def unread_event(self) -> str:
        """The event's name as given; without one, the host's name of the event before a call.

        It is used while the payload has not been read.
        """
        if self.event is not None:
            return self.event
        asking = (n for n, kind in self.host.events.items() if kind is HookKind.BEFORE_TOOL)
        return next(asking)


class HookAnswering(Struct):
    """Answers one event. `root` is the root that governs the event, once that is known.

    `decide` returns the decision on an event in a root.
    """

    call: HookCall
    decide: Callable[[HookCall, Path, HookEvent], HookDecision]
    root: Path | None = None
    event: HookEvent | None = None

    def answer(self, data: bytes) -> HookAnswer:
        """Return the answer to an event. `data` is its payload, the bytes that the host wrote.

        Raise ElsewhereError if `decide` does. Any other error becomes an answer.
        """
        try:
            return self._governed(read_payload(data))
        except (WrongPayloadError, InvalidCallError, RequestLimitError) as problem:
            return self.unjudged(str(problem), problem.cure)
        except ElsewhereError:
            raise
        except Exception as problem:  # noqa: BLE001 - our own failure, whatever it is
            return self.failed(str(problem) or type(problem).__name__)

    def failed(self, problem: str) -> HookAnswer:
        """Return the answer if we ourselves fail: silence, or a refusal.

        It is a refusal if the event asks for a call in a governed root without a fail-open policy.
        `problem` says what failed.
        """
        root = self._root_so_far()
        if root is None or not self._asks() or _fails_open(root):
            return SILENCE
        said = f"Governance Unavailable: {problem}. fail_open is false; mend it or ask the team."
        return self.call.host.refusal(self._event_name(), said)

    def _governed(self, payload: Payload) -> HookAnswer:
        host = self.call.host
        event = host.read(payload, self.call.event)
        start = event.cwd or self.call.cwd
        event = self.event = replace(event, cwd=start)
        if not Path(start).is_absolute():
            raise WrongPayloadError("", f"the directory {start!r} is not an absolute path")
        self.root = _root_of(event, start)
        if self.root is None:
            return SILENCE
        decision = self.decide(self.call, self.root, event)
        if decision.refusal is not None:
            return host.refusal(event.name, decision.refusal)
        return host.permission(event, decision.note)

    def unjudged(self, problem: str, cure: str) -> HookAnswer:
        """Return the answer to an event that cannot be judged: a refusal, if it precedes a call.

        Any other event is answered with a message on stderr and status 0. Without a governed root,
        the answer is silence. `cure` is what to do about `problem`, or "".
        """
        if self._root_so_far() is None:
            return SILENCE
        why = f"{problem}; {cure}" if cure else problem
        if not self._asks():
            return HookAnswer(stderr=f"intent-lsp cannot read this event and ignores it: {why}\n")
        said = f"intent-lsp cannot judge this call and refuses it: {why}"
        return self.call.host.refusal(self._event_name(), said)

    def _root_so_far(self) -> Path | None:
        """Return the root of the event, or that of the hook's directory if it is not known yet."""
        return self.root or governed_root(self.call.cwd)

    def _asks(self) -> bool:
        """Return whether the event is a call about to be made, as far as the payload was read."""
        return self.call.host.events.get(self._event_name()) is HookKind.BEFORE_TOOL

    def _event_name(self) -> str:
        return self.call.unread_event if self.event is None else self.event.name


def _root_of(event: HookEvent, start: str) -> Path | None:
    """Return the root that governs an event's first file, else that of the event's directory.

    Relative paths begin at the directory `start`. Return None if no root governs either.
    """
    paths = () if event.call is None else event.call.paths
    for path in (*paths[:1], ""):
        root = governed_root(os.path.join(start, path))  # noqa: PTH118 - keeps an absolute path
        if root is not None:
            return root
    return None


def _fails_open(root: Path) -> bool:
    # Loaded late: most answers need no policy here.
    from intent_lsp.governance.root.rules import RulesCache  # noqa: PLC0415

    try:
        return RulesCache(root).current().policy.fail_open
    except Exception:  # noqa: BLE001 - the default of the policy, if it cannot be read
        return TeamPolicy().fail_open
