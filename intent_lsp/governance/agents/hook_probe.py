"""Tries one registered hook as its host would run it, and says why it does not block.

Invariant: the probe is a call that is refused in every mode of a governed root, so that a hook that
lets it pass is blind. Nothing is recorded for it.
"""

import json
import re
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp import __version__
from intent_lsp.core.agents.hook_answer import PROBE_VARIABLE
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.probe_payloads import probe_payload
from intent_lsp.formats.registrations.registered_commands import RegisteredCommand
from intent_lsp.store.hook_runs import HookRun, run_hook_command

_NOT_FOUND: Final = 127
_NOT_EXECUTABLE: Final = 126
_ANSWER: Final = re.compile(r"intent-lsp (\S+) answers the probe")
_INSTALL: Final = "install intent-lsp for this user, so that it is on PATH"
_QUICKEN: Final = "look for what makes the hook slow, or raise the limit in the host's settings"
_MAKE_EXECUTABLE: Final = "make the program executable with `chmod +x`"
_CALL_ALONE: Final = "let this entry of the settings call `intent-lsp hook {host}` and nothing else"
_NO_COMMAND: Final = (
    "no shell can run the command: it has a NUL or half of a character (a lone surrogate)"
)
_WRITE_AGAIN: Final = "write the command again without that character, in the settings file"
_UPDATE: Final = "update the intent-lsp that this command runs"
_UPDATE_OLDER: Final = "update the intent-lsp that has the older version"


class ProbeFinding(Struct, frozen=True, kw_only=True):
    """The answer to one probe. `path` is the settings file, for people.

    `blocks`: the host would refuse the call. `seconds` is how long the command ran. `cause` is why
    the hook does not block, or what is odd about one that does, and `cure` what to do about it; ""
    for nothing. `version` is that of the program that answered, or None if it did not say so.
    """

    path: str
    event: str
    command: str
    blocks: bool
    seconds: float = 0.0
    version: str | None = None
    cause: str = ""
    cure: str = ""


def probe_hook(host: Host, found: RegisteredCommand, path: str, root: Path) -> ProbeFinding:
    """Run a registered command in `root` with a probe, and return what came of it.

    The command is ended after its own time limit, or after its host's if it has none. `path` is the
    settings file, for people. Raise OSError if the shell cannot be started.
    """
    payload = probe_payload(host.name, found.event, str(root))
    limit = found.seconds or host.limit_seconds
    data = json.dumps(payload).encode()
    tried = ProbeFinding(path=path, event=found.event, command=found.command, blocks=False)
    try:
        run = run_hook_command(found.command, root, data, limit, {PROBE_VARIABLE: "1"})
    except ValueError:
        return replace(tried, cause=_NO_COMMAND, cure=_WRITE_AGAIN)
    answered = _ANSWER.search(run.stderr) or _ANSWER.search(run.stdout)
    version = None if answered is None else answered[1]
    blocks, cause, cure = _judged(host, found.event, run, version, limit)
    done = replace(tried, blocks=blocks, cause=cause, cure=cure)
    return replace(done, seconds=run.seconds, version=version)


def _judged(
    host: Host, event: str, run: HookRun, version: str | None, limit: float
) -> tuple[bool, str, str]:
    """Return whether the host would block the probe's call, what is wrong, and the cure.

    The last two are "" if nothing is wrong. Of a host that would block, the version of intent-lsp
    that the hook runs may be wrong. `limit` is the command's time limit in seconds, `version` that
    of the program that answered.
    """
    if run.status is None:
        said = f"the hook did not answer within {limit:g} s, its time limit"
        return False, said, _QUICKEN
    if run.status == _NOT_FOUND:
        said = f"the command is not found on the PATH of this terminal{_output(run)}"
        return False, said, _INSTALL
    if run.status == _NOT_EXECUTABLE:
        return False, f"the command is not executable{_output(run)}", _MAKE_EXECUTABLE
    if _refuses(host, event, run):
        return True, *_oddity(version)
    if run.status == 0:
        said = "the hook exits with 0 and no refusal, so the call would be made"
        return False, said + _output(run), _CALL_ALONE.format(host=host.name)
    said = f"the hook fails with exit status {run.status} and no refusal{_output(run)}"
    old = run.stderr.startswith("intent-lsp:")
    return False, said, _UPDATE if old else "run the command by hand and correct its error"


def _refuses(host: Host, event: str, run: HookRun) -> bool:
    """Whether a run's output and exit status are a refusal with a reason, as the host reads it."""
    try:
        told = json.loads(run.stdout)
    except (ValueError, RecursionError):
        return False
    reason = run.stderr.strip()
    refused = bool(reason) and told == json.loads(json.dumps(host.refuse(event, reason)))
    return refused and run.status in (0, host.refusal_status)


def _oddity(version: str | None) -> tuple[str, str]:
    if version == __version__:
        return "", ""
    if version is None:
        return "the answer does not say which version of intent-lsp gave it", _UPDATE
    said = f"the hook runs intent-lsp {version}, and this program is version {__version__}"
    return said, _UPDATE_OLDER


def _output(run: HookRun) -> str:
    """Return `: ` and the first line that a command wrote to stderr, else stdout; "" if none.

    The line is cut after 200 characters.
    """
    line = next(iter((run.stderr.strip() or run.stdout.strip()).splitlines()), "")
    return f": {line[:200]}" if line else ""
