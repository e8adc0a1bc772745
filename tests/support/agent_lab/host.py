"""Agent hosts as tests see them: how each is started and registered, and its tools called."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.agent_lab.wire import Call, Json

PORT = 8787
URL = f"http://127.0.0.1:{PORT}"
KEY = "sk-test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What a host is registered with: `hook` returns the command of an event, or is None.

    `mcp` is the command of an MCP server, or empty.
    """

    hook: Callable[[str], str] | None = None
    mcp: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Registration):
    """The directories of one run of a host, with its registration."""

    repo: Path
    home: Path
    installed: Path

    def wanted(self, known: Sequence[str]) -> list[str]:
        """Return which of the host's events are to be registered: all, or none without a hook."""
        return [] if self.hook is None else list(known)

    def write(self, path: str, content: str, *, executable: bool = False) -> None:
        """Write a file of the repository."""
        _write(self.repo / path, content, executable=executable)

    def write_at_home(self, path: str, content: str) -> None:
        """Write a file of the home directory."""
        _write(self.home / path, content, executable=False)

    def claude_hooks(self, events: Sequence[str], timeout: int) -> Json:
        """Return the object `hooks` that Claude Code made common."""
        return {
            event: [{"matcher": "*", "hooks": [self._claude_hook(event, timeout)]}]
            for event in self.wanted(events)
        }

    def _claude_hook(self, event: str, timeout: int) -> Json:
        assert self.hook is not None
        return {"type": "command", "timeout": timeout, "command": self.hook(event)}

    def mcp_servers(self, **more: Json) -> Json:
        """Return the object `mcpServers` that Claude Code made common."""
        if not self.mcp:
            return {}
        program, *arguments = self.mcp
        return {"lab": {"command": program, "args": arguments, **more}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The calls of a host's tools, made from what is wanted."""

    read: Callable[[str], Call]
    edit: Callable[[str, str, str], Call]
    create: Callable[[str, str], Call]
    run: Callable[[str], Call]
    part: Callable[[str, int, int], Call]
    mcp: Callable[[str, str, Mapping[str, Json]], Call]
    """A call of a tool of an MCP server: the server's name, the tool's, and the arguments."""
    spawn: Sequence[Call] = ()
    """The turns of an agent that starts a sub-agent and waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One agent host: `package` is its directory in `packages/`, `program` is relative to it.

    `arguments` are those of a headless run, with the prompt in place of `{prompt}`; `resume` are
    those of a run that goes on with the last session, or empty if that cannot be done headless.
    """

    name: str
    package: str
    program: str
    arguments: Sequence[str]
    register: Callable[[Place], None]
    tools: Callable[[Path], Tools]
    resume: Sequence[str] = ()
    conversation: Sequence[str] = ()
    """Arguments of a run that reads prompts from standard input, each a JSON object in a line."""
    before: Sequence[str] = ()
    """Arguments of a run before the first one, such as to sign in."""
    environment: Mapping[str, str] = field(default_factory=dict)
    on_node: bool = False
    late_events: bool = False
    """Whether it goes on, and even ends, while a hook still runs."""

    @property
    def version(self) -> str:
        """The pinned version."""
        lock = json.loads(
            (Path(__file__).parent / "packages" / self.package / "package-lock.json").read_text()
        )
        name = next(iter(lock["packages"][""]["dependencies"]))
        return str(lock["packages"][f"node_modules/{name}"]["version"]).removesuffix("-linux-x64")


def _write(path: Path, content: str, *, executable: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    if executable:
        path.chmod(0o755)
