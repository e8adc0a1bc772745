"""The pages in docs/hosts, one for each agent host, made from the tables of the code.

`python -m tests.support.host_pages` writes them; a test compares them with the code. What the
tables do not know (what a host hides) is written here.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.hook_answer import SHARE_OF_LIMIT
from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.table import HOSTS as ANSWERS
from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.registration import Place
from intent_lsp.governance.hooks.hook_calls import RESERVED
from tests.support.agent_lab.last_run import PAGE as RUNS

FOLDER: Final = Path(__file__).parent.parent.parent / "docs" / "hosts"

_ROW: Final = re.compile(r"^\| (\w+) \| (\S+) \| (\d{4}-\d\d-\d\d) \| ([^|]+) \|", re.MULTILINE)

UNSEEN: Final[Mapping[str, tuple[str, ...]]] = {
    "claude": (
        "An edit whose old text is not in the file fires no hook. It changes nothing either.",
        "A hook that ends with half a line of JSON lets the call pass: ours writes once.",
    ),
    "codex": (
        "What is typed into an open shell. Bare shells and interpreters are refused for that.",
        "The end of a patch that failed, and of a command that goes on: recorded from the disk.",
        "A hook that is not trusted: Codex skips it in silence, and `intent-lsp doctor` asks it.",
        "Trust goes by the place of the entry: a group that is put before ours takes it away.",
    ),
    "copilot": (
        "Calls have no id. A call is found again by its session, its tool and its input.",
        "All calls of one turn are asked about before the first of them is made.",
    ),
    "gemini": (
        "Which subagent makes a call: the payload names none.",
        "Calls have no id. A call is found again by its session, its tool and its input.",
        "The name of the model.",
    ),
    "qwen": ("The end of a session that ran without a terminal.",),
    "kimi": (
        "The end of many calls: Kimi Code does not wait for those hooks, and loses the last ones.",
        "Notes: its model gets none.",
    ),
    "cline": (
        "Prompts: a session has one turn.",
        "Why a call was refused: Cline ends the run, and its model does not see the reason.",
        "The name of the model.",
    ),
    "opencode": (
        "The end of an edit that failed. The file is compared when the agent goes on.",
        "All calls of one turn are asked about before the first of them is made.",
        "Notes: its model gets none.",
    ),
}
"""What is not seen at hosts that were observed, by their names."""

_BLOCKED: Final = (
    "Edits, patches and deletions outside the scope of the selected intent, or without an intent;"
    " writes to a file that has changed since it was read; commands whose text names what they"
    " write, if that is out of scope; and whatever the team's policy denies. The team's"
    " `agents: warn` or `observe` lets most of these pass and records them."
)
_RECORDED: Final = (
    "A command whose text does not say what it writes runs. The work tree is compared afterwards:"
    " what changed out of scope is recorded `FAIL`"
)


def pages() -> Mapping[Path, str]:
    """Return the text of each page."""
    runs = {found[1]: found for found in _ROW.finditer(RUNS.read_text(encoding="utf-8"))}
    return {
        FOLDER / f"{host.name}.md": "\n".join(_lines(host, runs.get(host.name))) for host in HOSTS
    }


def _lines(host: AgentHost, run: re.Match[str] | None) -> Iterator[str]:
    answers = ANSWERS[host.hook]
    yield f"# {host.title}\n"
    yield f"{_seen(host, answers, run)} [All hosts](../agent-hosts.md)\n"
    yield "## Install\n"
    yield f"```sh\nintent-lsp agents install --host {host.name}"
    yield f"intent-lsp doctor --host {host.name}\n```\n"
    yield from (f"- {line}" for line in _files(host))
    yield from (f"- {step}" for step in host.steps)
    yield "\n## What is blocked\n"
    yield f"{_BLOCKED}\n"
    yield from (f"- {line}" for line in _answered(host, answers))
    yield "\n## What is only recorded\n"
    told = HookKind.AFTER_TOOL in answers.told_at
    yield f"- {_RECORDED}{', and told to the model.' if told else '. The model is not told.'}"
    yield "- The tools that read: what they show counts as read."
    yield "\n## What cannot be seen\n"
    unseen = UNSEEN.get(host.name, ("Not known: the host was never run with these hooks.",))
    yield from (f"- {line}" for line in unseen)
    yield "- What runs beside it: an editor's server notices and records that.\n"


def _seen(host: AgentHost, answers: Host, run: re.Match[str] | None) -> str:
    if not host.observed:
        return (
            "**Documented, not observed**: its hooks are registered and answered as its"
            " documentation says. The host itself was never run with them."
        )
    seen = f"Observed with version {answers.version}."
    if run is None:
        return f"{seen} Its journeys were not run again since."
    return f"{seen} Last real run: {run[3]}, version {run[2]}, journeys: {run[4].strip()}."


def _files(host: AgentHost) -> Iterator[str]:
    at = "~/" if host.hooks.place is Place.HOME else ""
    yield f"The hooks are registered in `{at}{host.hooks.path}`."
    if host.hooks.local is not None:
        yield f"With `--local`, which is for you alone, in `{host.hooks.local}`."
    if host.mcp is not None:
        yield f"The [MCP server](../mcp.md) is registered in `{host.mcp.paths[0]}`."


def _answered(host: AgentHost, answers: Host) -> Iterator[str]:
    limit = answers.limit_seconds
    most = limit * SHARE_OF_LIMIT
    yield (
        f"The hook before a call (`{host.hooks.gate}`) answers within {most:g} of the {limit:g}"
        f" seconds that the host waits. A person who has to decide has {most - RESERVED:g} of them."
    )
    if host.hooks.closed is not None:
        key, value = host.hooks.closed
        spelled = str(value).lower()
        yield (
            f"With the team's `fail_open: false`, the entry says `{key}: {spelled}`, so that a hook"
            " that cannot run refuses the call."
        )
    else:
        yield "A hook that is missing, not trusted or killed lets the call pass."
    if HookKind.PROMPT in answers.told_at:
        yield "At a prompt the model gets the context of its intent, or how to select one."


def write() -> None:
    """Write the pages, and delete those of hosts that are no more."""
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for path in set(FOLDER.glob("*.md")) - made.keys():
        path.unlink()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
