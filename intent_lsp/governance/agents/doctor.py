"""Examines the agent hosts of a root: what is registered is tried, and blind spots get a cause.

Invariant: of the commands in a host's settings, only ours for the event before a call are run.
Invariant: whether Codex trusts our hook is known by Codex's own answer alone. Codex skips a hook
that it does not trust, and says nothing.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp import __version__
from intent_lsp.core.content import Text
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.formats.registrations.agent_host import AgentHost, HookShape
from intent_lsp.formats.registrations.host_registrations import hook_files
from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registered_commands import (
    RegisteredCommand,
    hooks_switched_off,
    registered_commands,
)
from intent_lsp.formats.registrations.registration import PROGRAM, Place
from intent_lsp.governance.agents.hook_probe import ProbeFinding, probe_hook
from intent_lsp.governance.agents.registration_plan import RegistrationFiles, shown_path
from intent_lsp.store.agent_hosts import signs_of
from intent_lsp.store.hook_runs import ask_program

_SWITCH: Final = "disableAllHooks"
_SWITCHED: Final = frozenset({"claude", "qwen", "copilot"})
"""Hosts whose settings can switch all hooks off by `disableAllHooks`."""

_CODEX: Final = "codex"
_CODEX_SECONDS: Final = 15.0
_CODEX_EVENT: Final = "pre_tool_use"
_TRUSTED: Final = ("trusted", "managed")
_AGAIN: Final = "run `intent-lsp agents install --host {host}`"


class HostReport(Struct, frozen=True, kw_only=True):
    """What was found out about one host.

    `signs` are paths that show that the host is installed. `registered`: a settings file has a
    command of ours, right or not, or names us and cannot be parsed. `probes` are the results of
    trying its commands before a call. `problems` are causes, not shown by a probe, why the host
    would not ask us before a call, each with its cure. `trust` is what the host says about its
    trust in our hook, such as `trusted`, or None if it says nothing; only Codex does. `remarks` are
    for people.
    """

    host: AgentHost
    signs: tuple[str, ...] = ()
    registered: bool = False
    probes: tuple[ProbeFinding, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    trust: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def blocks(self) -> bool:
        """Whether the host would block a refused call, as far as can be found out.

        At least one hook was tried, each hook that was tried refuses the probe, and there are no
        problems.
        """
        tried = bool(self.probes) and all(each.blocks for each in self.probes)
        return tried and not self.problems


class _Found(Struct, frozen=True, kw_only=True):
    """A command that calls our hook in a settings file. `shown` is the file's path for people."""

    file: Path
    shown: str
    command: RegisteredCommand


class HostDoctor(Struct):
    """Examines one root's agent hosts. A hook command is run at most once per host and event."""

    files: RegistrationFiles
    _tried: dict[tuple[str, str, str], ProbeFinding] = field(default_factory=dict)

    def examine(self, host: AgentHost) -> HostReport:
        """Return the report on one host.

        For that, its registered commands for the event before a call are run. Raise OSError if the
        shell cannot be started.
        """
        problems: list[tuple[str, str]] = []
        found = list(self._found(host, problems))
        report = HostReport(host=host, signs=signs_of(host, self.files.root, self.files.home))
        if not found:
            return replace(report, registered=bool(problems), problems=tuple(problems))
        gates = [each for each in found if each.command.event == host.hooks.gate]
        problems += self._problems(host, found, gates)
        trust = self._trust(host, gates)
        if trust is not None and not _is_trusted(trust):
            said = f"{host.title} does not trust the hook ({trust}), so the hook is not run"
            problems.append((said, " ".join(host.steps)))
        return replace(
            report,
            registered=True,
            probes=tuple(self._probe(host, each) for each in gates),
            problems=tuple(problems),
            trust=trust,
            remarks=tuple(_remarks(host, trust)),
        )

    def _found(self, host: AgentHost, problems: list[tuple[str, str]]) -> Iterator[_Found]:
        """Yield the commands in the settings files of a host that call our hook.

        Add a file that names us and cannot be parsed to `problems`.
        """
        for place, path in self._places(host):
            text = self.files.text(place, path)
            if not isinstance(text, Text):
                continue
            commands, shown = registered_commands(host, text.text, path), shown_path(place, path)
            if not isinstance(commands, UnreadableText):
                file = self.files.base(place) / path
                yield from (_Found(file=file, shown=shown, command=each) for each in commands)
            elif PROGRAM in text.text:
                said = f"{shown}{commands.place} {commands.problem}"
                problems.append((said, "correct the settings file: the host cannot read it either"))

    def _places(self, host: AgentHost) -> Iterator[tuple[Place, str]]:
        """Yield the files where a host reads hooks, each as its place and its path there.

        First come files to be committed, then local ones, then those in the home directory.
        """
        yield from hook_files(host)
        if host.hooks.place is not Place.HOME and host.hooks.shape is not HookShape.SCRIPTS:
            yield Place.HOME, host.hooks.path

    def _problems(
        self, host: AgentHost, found: Sequence[_Found], gates: Sequence[_Found]
    ) -> Iterator[tuple[str, str]]:
        again, event = _AGAIN.format(host=host.name), host.hooks.gate
        if not gates:
            events = ", ".join(dict.fromkeys(each.command.event for each in found))
            are = "are" if "," in events else "is"
            known = f"only {events} {are} registered" if events else "nothing is registered"
            yield f"intent-lsp is not asked before a call (event {event}): {known}", again
        known_events = {*host.hooks.every_event, *HOSTS[host.hook].events}
        for each in found:
            if each.command.event not in known_events and not gates:
                said = f"{each.shown}: {host.title} has no event {each.command.event!r}"
                yield said, f"write {event} instead, or {again}"
        for each in gates:
            if not each.command.enabled:
                yield (
                    f"{each.shown}: the entry is switched off (`enabled`)",
                    "set `enabled` to true",
                )
        file = self._switched_off(host)
        if file is not None:
            off = f"{file} has `{_SWITCH}: true`, which switches all hooks off"
            yield off, f"take `{_SWITCH}` out of that file"

    def _switched_off(self, host: AgentHost) -> str | None:
        """Return the path, for people, of the file that switches all hooks of a host off, or None.

        The first file with the setting `disableAllHooks` decides: the local one, then the
        repository's, then the user's. Return None if it does not switch hooks off.
        """
        if host.name not in _SWITCHED:
            return None
        paths = [(Place.LOCAL, host.hooks.local or ""), (Place.ROOT, host.hooks.path)]
        for place, path in (*paths, (Place.HOME, host.hooks.path)):
            text = self.files.text(place, path) if path else None
            said = hooks_switched_off(text.text) if isinstance(text, Text) else None
            if said is not None:
                return shown_path(place, path) if said else None
        return None

    def _trust(self, host: AgentHost, gates: Sequence[_Found]) -> str | None:
        if host.name != _CODEX or not gates:
            return None
        said = (_codex_trust(self.files.root, each.file, each.command) for each in gates)
        known = [each for each in said if each is not None]
        return next((each for each in known if not _is_trusted(each)), next(iter(known), None))

    def _probe(self, host: AgentHost, found: _Found) -> ProbeFinding:
        key = (host.hook, found.command.event, found.command.command)
        if key not in self._tried:
            root: Path = self.files.root
            self._tried[key] = probe_hook(HOSTS[host.hook], found.command, found.shown, root)
        return self._tried[key]


def _remarks(host: AgentHost, trust: str | None) -> Iterator[str]:
    if not host.observed:
        title = host.title
        yield (
            f"documented, not observed: the hook follows {title}'s documentation, but {title}"
            " itself was never run with it"
        )
    if trust is None:
        for step in host.steps:
            if "rust" in step:
                yield f"whether the host trusts the hook was not checked: {step}"


def _codex_trust(root: Path, file: Path, found: RegisteredCommand) -> str | None:
    """Run Codex in `root`, and return the trust status of our hook, such as `trusted`.

    `found` is the command that `file`, a settings file, has for the event before a call. Return
    `not listed` if Codex does not know that hook, and None if Codex is not installed or does not
    list its hooks within 15 seconds.
    """
    client = {"clientInfo": {"name": "intent-lsp", "version": __version__}}
    requests: tuple[Mapping[str, Any], ...] = (
        {"id": 1, "method": "initialize", "params": client},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(root)]}},
    )
    answer = ask_program([_CODEX, "app-server"], root, requests, _CODEX_SECONDS)
    result = None if answer is None else answer.get("result")
    if not isinstance(result, Mapping):
        return None
    group, handler = found.at
    for hook in _hooks(result):
        path, _, place = str(hook.get("key", "")).partition(f":{_CODEX_EVENT}:")
        same = os.path.realpath(path) == os.path.realpath(file)
        if same and place == f"{group}:{handler}":
            return str(hook.get("trustStatus", ""))
    return "not listed"


def _is_trusted(status: str) -> bool:
    """Whether Codex runs a hook with this trust status."""
    return status.lower() in _TRUSTED


def _hooks(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    data = result.get("data")
    for each in data if isinstance(data, list) else ():
        hooks = each.get("hooks") if isinstance(each, Mapping) else None
        for hook in hooks if isinstance(hooks, list) else ():
            if isinstance(hook, Mapping):
                yield hook
