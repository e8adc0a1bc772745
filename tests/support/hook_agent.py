"""An agent host for tests: it sends events to the hook door of a governed repository."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from intent_lsp.core.agents.hook_answer import HookAnswer
from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.doors.hook.judging_here import decide_here
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.hooks.hook_answers import HookAnswering, HookCall
from intent_lsp.store.ledger.index.queries import Query
from tests.support.repository import Repository

INTENTS = """\
active_intents:
  - id: INT-001
    name: Notes
    status: IN_PROGRESS
    owned_scope: ["*.txt"]
  - id: INT-002
    name: Docs
    status: IN_PROGRESS
    owned_scope: ["docs/**"]
  - {id: INT-003, name: Done, status: COMPLETED, owned_scope: ["old/**"]}
"""
POLICY = ".orchestration/constraints.sidecar.yaml"
TEXT = "alpha\nbeta\ngamma\n"


@dataclass
class Agent:
    """One conversation of an agent host in a repository."""

    repository: Repository
    host: str = "claude"
    session: str = "session-1"
    environment: dict[str, str] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)

    def send(self, event: str, **payload: Any) -> HookAnswer:
        """Send an event with the fields that every payload of the host has."""
        common = {
            "hook_event_name": event,
            "session_id": self.session,
            "cwd": str(self.repository.root),
        }
        return self.send_raw(json.dumps(common | self.fields | payload).encode())

    def send_raw(self, data: bytes, event: str | None = None) -> HookAnswer:
        """Send bytes."""
        where = str(self.repository.root)
        call = HookCall.of(HOSTS[self.host], event, self.environment, where)
        return HookAnswering(call, decide_here).answer(data)

    def before(self, tool: str, use: str = "call-1", **given: Any) -> HookAnswer:
        """Send the event before a call of a tool with this input."""
        events = HOSTS[self.host].events.items()
        name = next(name for name, kind in events if kind is HookKind.BEFORE_TOOL)
        return self.send(name, tool_name=tool, tool_input=given, tool_use_id=use)

    def after(
        self, tool: str, use: str = "call-1", response: object = "", **given: Any
    ) -> HookAnswer:
        """Send the event after a call of a tool with this input."""
        events = HOSTS[self.host].events.items()
        name = next(name for name, kind in events if kind is HookKind.AFTER_TOOL)
        return self.send(
            name,
            tool_name=tool,
            tool_input=given,
            tool_response=response,
            tool_use_id=use,
        )

    def edit(self, path: str, text: str, use: str = "call-1") -> HookAnswer:
        """Ask for a file to be written, write it if that may be, and report it."""
        asked = self.before("Write", use, file_path=path, content=text)
        if asked.status == 0:
            self.repository.write(path, text)
            self.after("Write", use, file_path=path, content=text)
        return asked

    def select(self, intent_id: str) -> HookAnswer:
        """Select an intent in the agent's shell, as the hook sees it."""
        command = f"intent-lsp intents select {intent_id}"
        asked = self.before("Bash", f"select {intent_id}", command=command)
        self.after("Bash", f"select {intent_id}", command=command)
        return asked


def records(repository: Repository) -> list[Any]:
    """Return all records of the ledger, oldest first."""
    with Governance(repository.root) as governance:
        page = governance.tracing.page(Query(), limit=1000)
    return list(reversed(page.records))


def handle_in(answer: HookAnswer) -> str:
    """Return the handle that an answer tells the agent."""
    found = re.search(r"--session (h-[0-9a-f]{16})\b", answer.stdout)
    assert found is not None, answer
    return found[1]


def reason(answer: HookAnswer) -> str:
    """Return why a call was refused."""
    assert answer.status == 2, answer
    assert answer.stderr
    return answer.stderr
