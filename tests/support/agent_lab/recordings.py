"""Recordings of real hosts: scenarios are run, and payloads are written with placeholders."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support.agent_lab import mcp_server, recorder
from tests.support.agent_lab.host import Host, Registration
from tests.support.agent_lab.model import ScriptedModel
from tests.support.agent_lab.placeholders import Placeholders
from tests.support.agent_lab.runs import PROMPT, Lab, lab
from tests.support.agent_lab.scenarios import FILES, Scenario

DATA = Path(__file__).parents[2] / "data" / "hosts"
Recording = Mapping[str, Any]
_NOT_OF_A_HOST = frozenset(
    ("CI", "HOME", "LANG", "NO_COLOR", "OLDPWD", "PATH", "PWD", "SHLVL", "TERM", "TMPDIR", "_")
)
_GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def record(host: Host, scenario: Scenario, prefix: str = "") -> list[Path]:
    """Run one scenario; write its payloads to `tests/data/hosts/HOST/`; return the files."""
    for old in (DATA / host.name).glob(f"{prefix}{scenario.name}.*.json"):
        old.unlink()
    written = []
    counts: dict[str, int] = {}
    for recording in _recordings(host, scenario):
        name = f"{prefix}{scenario.name}.{recording['event']}"
        counts[name] = counts.get(name, 0) + 1
        if counts[name] > 1:
            name += f".{counts[name]}"
        path = DATA / host.name / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps(recording, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        written.append(path)
    return written


def _recordings(host: Host, scenario: Scenario) -> Iterator[Recording]:
    directory = Path(tempfile.mkdtemp(prefix="agent-lab-"))
    try:
        made = _prepare(host, scenario, directory)
        first = _run(made, scenario, resume=False)
        kept = _run(made, scenario, resume=True) if scenario.resumed else first
        placeholders = Placeholders(_paths(made))
        for number, record_of_one in enumerate(kept, 1):
            recording = placeholders.apply(_recording(host, record_of_one, number))
            text = json.dumps(recording["payload"], ensure_ascii=False)
            if not scenario.keep or any(word in text for word in scenario.keep):
                yield recording
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _prepare(host: Host, scenario: Scenario, directory: Path) -> Lab:
    repo, hooks = directory / "repo", directory / "hooks"
    repo.mkdir()
    hooks.mkdir()
    for name, text in FILES.items():
        (repo / name).write_text(text, encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "start")):
        subprocess.run((*_GIT, *words), cwd=repo, check=True)
    return lab(
        host,
        directory,
        Registration(
            hook=lambda event: f"{sys.executable} -I {recorder.__file__} {hooks} {event}",
            mcp=[sys.executable, "-I", mcp_server.__file__] if scenario.mcp else (),
        ),
    )


def _run(made: Lab, scenario: Scenario, *, resume: bool) -> list[dict[str, Any]]:
    hooks = made.directory / "hooks"
    for old in hooks.iterdir():
        old.unlink()
    tools = made.host.tools(made.repo)
    # A last turn, so that hooks that are still running come to their end before the host does.
    pause = [[tools.run("sleep 1")]] if made.host.late_events else []
    model = ScriptedModel([*scenario.main(tools), *pause], scenario.sub(tools))
    if scenario.cleared:
        done = made.converse(model, ["/clear", PROMPT])
    else:
        prompt = "TASK: go on with the script." if resume else PROMPT
        done = made.start(model, prompt=prompt, resume=resume)
    if done.status != 0 or model.errors:
        said = f"{model.errors}\n{done.out[-2000:]}\n{done.err[-2000:]}"
        raise RuntimeError(f"{made.host.name} {scenario.name}: {done.status}\n{said}")
    return [json.loads(path.read_text()) for path in sorted(hooks.glob("*.json"))]


def _recording(host: Host, recorded: Mapping[str, Any], number: int) -> Recording:
    own = set(recorded["environment"]) - _NOT_OF_A_HOST - set(host.environment)
    event, payload = recorded["event"], recorded["payload"]
    if event == "event":
        # The one hook of opencode through which events of many types come.
        event = f"event.{payload['input']['type']}"
    return {
        "host": host.name,
        "version": host.version,
        "recorded": True,
        "event": event,
        "number": number,
        "env": sorted(own),
        "payload": payload,
    }


def _paths(made: Lab) -> dict[str, str]:
    lab_itself = str(Path(__file__).parent)
    return {
        str(made.repo): "/repo",
        str(made.place.home): "/home/user",
        str(made.directory / "tmp"): "/temporary",
        str(made.directory): "/run-of-a-host",
        str(made.place.installed): "/hosts",
        sys.executable: "python",
        lab_itself: "/lab",
    }
