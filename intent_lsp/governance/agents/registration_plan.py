"""Plans the changes to files that register or unregister hosts, and tells what the files hold now.

Invariant: nothing is written here. A plan with problems is not carried out, not even in part.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.content import Text, decode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.formats.registrations.host_registrations import (
    RegistrationOptions,
    registrations_of,
)
from intent_lsp.formats.registrations.instructions import (
    instructions_state,
    with_instructions,
    without_instructions,
)
from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import (
    EditedText,
    Place,
    Purpose,
    Registration,
    State,
)
from intent_lsp.store.fs.files import read_bytes

INSTRUCTION_FILES: Final = ("AGENTS.md", "CLAUDE.md")
"""The files that agents read at their start, the preferred one first."""


class PlannedFile(Struct, frozen=True, kw_only=True):
    """A file that is to change from `before` to `after` (None: no file), for the `hosts`.

    `executable`: it is also to be executable, which may be all that changes.
    """

    place: Place
    path: WorkspacePath
    before: bytes | None
    after: bytes | None
    hosts: tuple[str, ...] = ()
    executable: bool = False

    @property
    def shown(self) -> str:
        """The path for people: `~/PATH` in the home directory, else relative to the root."""
        return shown_path(self.place, self.path)


class FileProblem(Struct, frozen=True, kw_only=True):
    """A file that cannot be edited, and why. `path` is for people."""

    path: str
    problem: UnreadableText


class RegistrationPlan(Struct, frozen=True, kw_only=True):
    """What is to change (`files`), cannot be edited (`problems`), or is right (`untouched`)."""

    files: tuple[PlannedFile, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    untouched: tuple[str, ...] = ()


class RegistrationStatus(Struct, frozen=True, kw_only=True):
    """How far a host is registered for one purpose in one place.

    If the file cannot be read, `state` is None and `problem` says why. `path` is for people.
    """

    purpose: Purpose
    place: Place
    path: str
    state: State | None
    problem: UnreadableText | None = None


class HostStatus(Struct, frozen=True, kw_only=True):
    """A host and its registrations."""

    host: AgentHost
    registrations: tuple[RegistrationStatus, ...]

    @property
    def registered(self) -> bool:
        """Whether the host's hooks are registered in at least one place."""
        return any(
            each.purpose is Purpose.HOOKS and each.state is State.REGISTERED
            for each in self.registrations
        )


SettingsEdit = Callable[[str | None], EditedText]


class RegistrationFiles(Struct, frozen=True):
    """The settings files of hosts in a root and in a home directory."""

    root: Path
    home: Path

    def installing(
        self, hosts: Iterable[AgentHost], wish: RegistrationOptions, *, instructions: bool = False
    ) -> RegistrationPlan:
        """Return the plan that registers hosts as `wish` says.

        `instructions`: the plan also writes instructions for agents, for example into AGENTS.md.
        """
        planning = _Planning(self)
        for host in hosts:
            for each in registrations_of(host, wish):
                planning.register(each, host.name, each.content.installed)
        if instructions:
            planning.edit(Place.ROOT, self._instruction_file(), with_instructions)
        return planning.plan()

    def uninstalling(
        self,
        hosts: Iterable[AgentHost],
        wishes: Sequence[RegistrationOptions],
        *,
        at_home: bool,
        instructions: bool = False,
    ) -> RegistrationPlan:
        """Return the plan that removes what hosts have registered with any options of `wishes`.

        `at_home`: also in the home directory. `instructions`: also the instructions for agents.
        """
        planning = _Planning(self)
        for host in hosts:
            for each in (each for wish in wishes for each in registrations_of(host, wish)):
                if at_home or each.place is not Place.HOME:
                    planning.register(each, host.name, each.content.uninstalled)
        for name in INSTRUCTION_FILES if instructions else ():
            planning.edit(Place.ROOT, name, without_instructions)
        return planning.plan()

    def status(self, host: AgentHost, program: str) -> HostStatus:
        """Return how far a host is registered.

        A local settings file is one that is not committed. It is left out if it has no
        registration. `program` is the program that hooks in local files have to call.
        """
        found = [self._status(each) for each in registrations_of(host, RegistrationOptions())]
        if host.hooks.local is not None:
            wish = RegistrationOptions(program=program, local=True)
            local = map(self._status, registrations_of(host, wish))
            found += [each for each in local if each.state is not State.MISSING]
        groups: dict[tuple[Purpose, Place], list[RegistrationStatus]] = {}
        for each in found:
            groups.setdefault((each.purpose, each.place), []).append(each)
        return HostStatus(host=host, registrations=tuple(map(_joined, groups.values())))

    def base(self, place: Place) -> Path:
        """Return the directory that paths in a place are relative to."""
        return self.home if place is Place.HOME else self.root

    def path_of(self, registration: Registration) -> str:
        """Return the first path of a registration that exists, else its first path."""
        base = self.base(registration.place)
        there = [path for path in registration.paths if os.path.lexists(base / path)]
        return next(iter((*there, *registration.paths)))

    def text(self, place: Place, path: str) -> Text | UnreadableText | None:
        """Return a file's text, None if there is no file, or why it cannot be read."""
        try:
            data = read_bytes(self.base(place) / path)
        except OSError as error:
            return UnreadableText(problem=error.strerror or str(error))
        except IntentLspError as error:
            return UnreadableText(problem=str(error))
        if data is None:
            return None
        return decode(data) or UnreadableText(problem="is no text in UTF-8 or UTF-16")

    def _instruction_file(self) -> str:
        """Return the file for instructions.

        It is one with our marker, else one that exists, else AGENTS.md.
        """
        read = {name: self.text(Place.ROOT, name) for name in INSTRUCTION_FILES}
        texts = {name: each.text if isinstance(each, Text) else None for name, each in read.items()}
        having = [name for name, text in texts.items() if instructions_state(text) != State.MISSING]
        there = [name for name, each in read.items() if each is not None]
        return next(iter((*having, *there, *INSTRUCTION_FILES)))

    def _status(self, registration: Registration) -> RegistrationStatus:
        path = self.path_of(registration)
        found = RegistrationStatus(
            purpose=registration.purpose,
            place=registration.place,
            path=shown_path(registration.place, path),
            state=None,
        )
        text = self.text(registration.place, path)
        if isinstance(text, UnreadableText):
            return replace(found, problem=text)
        state = registration.content.state(None if text is None else text.text)
        if isinstance(state, UnreadableText):
            return replace(found, problem=state)
        program = self.base(registration.place) / path
        unstartable = registration.executable and not os.access(program, os.X_OK)
        broken = state is State.REGISTERED and unstartable
        return replace(found, state=State.DIFFERS if broken else state)


def created_files(root: Path, paths: Iterable[str]) -> tuple[PlannedFile, ...]:
    """Return files that were just created in a root as changes from no file. Raise OSError."""
    return tuple(
        PlannedFile(
            place=Place.ROOT, path=WorkspacePath(path), before=None, after=read_bytes(root / path)
        )
        for path in paths
    )


def shown_path(place: Place, path: str) -> str:
    """Return a path for people: with `~/` in front if the place is the home directory."""
    return f"~/{path}" if place is Place.HOME else path


class _Planning(Struct):
    """Edits of files. A later edit of a file starts from what the earlier ones made of it."""

    at: RegistrationFiles
    files: dict[tuple[Place, str], PlannedFile] = field(default_factory=dict)
    problems: dict[FileProblem, None] = field(default_factory=dict)

    def register(self, registration: Registration, host: str, edit: SettingsEdit) -> None:
        path = self.at.path_of(registration)
        self.edit(registration.place, path, edit, host, executable=registration.executable)

    def edit(
        self,
        place: Place,
        path: str,
        edit: SettingsEdit,
        host: str = "",
        *,
        executable: bool = False,
    ) -> None:
        known = self.files.get((place, path))
        if known is None:
            text = self.at.text(place, path)
        else:
            text = None if known.after is None else decode(known.after)
        now = text.text if isinstance(text, Text) else None
        made = text if isinstance(text, UnreadableText) else edit(now)
        if isinstance(made, UnreadableText):
            self.problems[FileProblem(path=shown_path(place, path), problem=made)] = None
            return
        encode = text.encode if isinstance(text, Text) else str.encode
        if known is None:
            before = None if now is None else encode(now)
            known = PlannedFile(place=place, path=WorkspacePath(path), before=before, after=before)
        hosts = known.hosts if not host or host in known.hosts else (*known.hosts, host)
        after = None if made is None else encode(made)
        executable = executable or known.executable
        self.files[place, path] = replace(known, after=after, hosts=hosts, executable=executable)

    def plan(self) -> RegistrationPlan:
        changed = [each for each in self.files.values() if _changes(self.at, each)]
        return RegistrationPlan(
            files=tuple(changed),
            problems=tuple(self.problems),
            untouched=tuple(each.shown for each in self.files.values() if each not in changed),
        )


def _changes(at: RegistrationFiles, file: PlannedFile) -> bool:
    if file.before != file.after:
        return True
    program = at.base(file.place) / file.path
    return file.executable and file.after is not None and not os.access(program, os.X_OK)


def _joined(group: Sequence[RegistrationStatus]) -> RegistrationStatus:
    """Return one status for one or several files.

    If files have a problem, it is the status of the first of these. Several files are shown as
    their folder, with DIFFERS as the state unless all have the same.
    """
    first = next((each for each in group if each.problem is not None), group[0])
    if len(group) == 1 or first.problem is not None:
        return first
    states = {each.state for each in group}
    folder = first.path.rpartition("/")[0] + "/"
    return replace(first, path=folder, state=states.pop() if len(states) == 1 else State.DIFFERS)
