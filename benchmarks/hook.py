"""How long an agent waits for its hook, as a whole process: before an edit, and before a command.

With and without a server that has the root open, each as a ratio to `python -c pass`, without which
no hook in Python can do, and to `node -e 0`, the least that a hook in JavaScript costs. Minima of
runs in turn. `python -m benchmarks.hook`
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support.client import environment
from benchmarks.support.figures import Report, Watch, read_options
from benchmarks.support.project import TWO_INTENTS, project
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.governance.governance import Governance

RUNS = 25
ALONE_AIM, SERVER_AIM, COMMAND_AIM = 7.0, 3.5, 10.5
HOOK = (str(Path(sys.executable).with_name("intent-lsp")), "hook", "claude")
SESSION = "measured"
FILE = "src/auth/login.py"


def payload(root: Path, tool: str, number: int, **given: object) -> bytes:
    """Return the event before a call of a tool."""
    told = {
        "hook_event_name": "PreToolUse",
        "session_id": SESSION,
        "cwd": str(root),
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": f"{tool}-{number}",
    }
    return json.dumps(told).encode()


def run(command: Sequence[str], root: Path, data: bytes, env: Mapping[str, str]) -> float:
    """Run a process once. Return the milliseconds that it took. Its status must be 0."""
    watch = Watch()
    subprocess.run(command, cwd=root, input=data, env=env, check=True, capture_output=True)
    return watch.lap()


@dataclass(frozen=True, kw_only=True)
class Least:
    """The least milliseconds of each process."""

    python: float
    node: float
    edit: float
    command: float


def measure(root: Path, rounds: int, env: Mapping[str, str]) -> Least:
    """Run the two floors, and a hook before an edit and before a command, in turn."""
    node = [shutil.which("node") or "node", "-e", "0"]
    python = [sys.executable, "-c", "pass"]
    taken: list[tuple[float, ...]] = []
    for number in range(rounds):
        edit = payload(root, "Edit", number, file_path=FILE, old_string="a", new_string="b")
        command = payload(root, "Bash", number, command="cat src/auth/login.py")
        taken.append(
            (
                run(python, root, b"", env),
                run(node, root, b"", env),
                run(HOOK, root, edit, env),
                run(HOOK, root, command, env),
            )
        )
    least = [min(each) for each in zip(*taken, strict=True)]
    return Least(python=least[0], node=least[1], edit=least[2], command=least[3])


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    rounds = options.rounds(RUNS)
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    report = Report(f"a hook before a call, node {version.stdout.strip()}", options)
    with project({FILE: "a = 1\n"}, TWO_INTENTS) as root, tempfile.TemporaryDirectory() as room:
        os.environ["XDG_RUNTIME_DIR"] = room
        env = dict(environment()) | {"XDG_RUNTIME_DIR": room}
        # With it, Node reads a file of certificates first, which takes twice as long as the rest.
        env.pop("NODE_EXTRA_CA_CERTS", None)
        with Governance(root) as governance:
            session = governance.sessions.open_agent(SESSION)
            governance.checkout.select(session, "INT-001", unsaved_file=False)
        for server in (False, True):
            governance = Governance(root, patient=True)
            listener = HookListener(governance)
            if server:
                listener.begin()
            least = measure(root, rounds + 1, env)
            listener.end()
            governance.close(None)
            where = "with a server" if server else "without a server"
            report.plain("python -c pass, minimum", least.python)
            report.plain("node -e 0, minimum", least.node)
            report.plain(f"an edit {where}, minimum", least.edit)
            report.plain(f"a command {where}, minimum", least.command)
            report.plain(f"an edit {where} / node -e 0", least.edit / least.node, "x")
            aim = SERVER_AIM if server else ALONE_AIM
            report.held(f"an edit {where} / python", least.edit / least.python, aim=aim)
            if not server:
                ratio = least.command / least.python
                report.held(f"a command {where} / python", ratio, aim=COMMAND_AIM)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
