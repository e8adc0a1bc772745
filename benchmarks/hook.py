"""How long an agent waits for its hook, as a whole process: before an edit, and before a command.

With and without a server that has the root open, each as a ratio to `node -e 0`, the process that
most agent hosts' own hooks would start at least. Minima of runs in turn.
`python -m benchmarks.hook`
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.support.client import environment
from benchmarks.support.figures import Report, Watch, read_options
from benchmarks.support.project import TWO_INTENTS, project
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.governance.governance import Governance

RUNS = 25
ALONE_AIM, SERVER_AIM, COMMAND_AIM = 1.2, 0.6, 1.8
HOOK = (sys.executable, "-m", "intent_lsp", "hook", "claude")
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


def measure(root: Path, rounds: int, env: Mapping[str, str]) -> tuple[float, float, float]:
    """Return the least milliseconds of `node -e 0`, and of a hook before an edit and a command."""
    node = [shutil.which("node") or "node", "-e", "0"]
    floors, edits, commands = list[float](), list[float](), list[float]()
    for number in range(rounds):
        floors.append(run(node, root, b"", env))
        edit = payload(root, "Edit", number, file_path=FILE, old_string="a", new_string="b")
        edits.append(run(HOOK, root, edit, env))
        command = payload(root, "Bash", number, command="cat src/auth/login.py")
        commands.append(run(HOOK, root, command, env))
    return min(floors), min(edits), min(commands)


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    rounds = options.rounds(RUNS)
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    report = Report(f"a hook before a call, node {version.stdout.strip()}", options)
    with project({FILE: "a = 1\n"}, TWO_INTENTS) as root, tempfile.TemporaryDirectory() as room:
        os.environ["XDG_RUNTIME_DIR"] = room
        env = dict(environment()) | {"XDG_RUNTIME_DIR": room}
        with Governance(root) as governance:
            session = governance.sessions.open_agent(SESSION)
            governance.checkout.select(session, "INT-001", unsaved_file=False)
        for server in (False, True):
            governance = Governance(root, patient=True)
            listener = HookListener(governance)
            if server:
                listener.begin()
            floor, edit, command = measure(root, rounds + 1, env)
            listener.end()
            governance.close(None)
            where = "with a server" if server else "without a server"
            report.plain("node -e 0, minimum", floor)
            report.plain(f"an edit {where}, minimum", edit)
            aim = SERVER_AIM if server else ALONE_AIM
            report.held(f"an edit {where} / node -e 0", edit / floor, aim=aim)
            report.plain(f"a command {where}, minimum", command)
            if not server:
                report.held(f"a command {where} / node -e 0", command / floor, aim=COMMAND_AIM)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
