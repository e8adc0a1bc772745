"""The rules in force in one root: intents, policy and ignore file, read and cached.

Invariant: a file is read again when its identity, size or modification time has changed.
Invariant: an intents file that does not parse switches governance off; half a file never judges.
Invariant: if a policy or ignore file cannot be read, its last readable version stays in force.
"""

import logging
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.commands.git import LOCAL_ROOM_REASON
from intent_lsp.core.content import decode
from intent_lsp.core.control_plane import CONTROL_REASON, control_glob
from intent_lsp.core.gate.request import DeniedPath, FileFact, GateRequest
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, LOCAL_ROOM, POLICY_FILE, WorkspacePath
from intent_lsp.core.policy import GENERATED, DenyRule, Enforcement, TeamPolicy
from intent_lsp.core.scope.pattern import EXACT, NameComparison
from intent_lsp.core.scope.scope import Ownership, Scope, ScopeIndex, compile_scope, compile_scopes
from intent_lsp.formats.intents.ignore_file import IgnoredIntents, read_ignored
from intent_lsp.formats.intents.intents_file import IntentsFile, IntentsReader
from intent_lsp.formats.intents.policy_file import PolicyFile, read_policy
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.store.fs import files
from intent_lsp.store.fs.files import Stamp
from intent_lsp.store.fs.resolve import case_sensitive

_log: Final = logging.getLogger(__name__)
_FILES: Final = (INTENTS_FILE, POLICY_FILE, IGNORE_FILE)


class FileState(StrEnum):
    """The state of the intents file.

    UNAVAILABLE: it is valid, but session state cannot be stored.
    """

    OK = "ok"
    BROKEN = "broken"
    MISSING = "missing"
    UNAVAILABLE = "unavailable"


class Rules(Struct, frozen=True, kw_only=True, dict=True):
    """The rules in force at one moment: intents file, policy and ignore file of a root.

    `version` grows whenever what the files say has changed. `reason` says why `state` is not OK, or
    is None. The class has a `__dict__` for what is built lazily, such as the index of scopes.
    """

    version: int
    state: FileState
    reason: str | None
    file: IntentsFile
    policy: TeamPolicy
    ignored_patterns: IgnoredIntents
    spelling: NameComparison = EXACT

    @property
    def governed(self) -> bool:
        """Whether the gate judges edits: the intents file exists and was parsed without error."""
        return self.state is FileState.OK

    @property
    def shows_violations(self) -> bool:
        """Whether the root is governed, by a policy that does more than observe."""
        return self.governed and self.policy.enforcement is not Enforcement.OBSERVE

    @cached_property
    def index(self) -> ScopeIndex:
        """The index that finds the owners of a path among all intents, whatever their status."""
        return ScopeIndex(list(self.scopes.items()), self.spelling)

    @cached_property
    def scopes(self) -> Mapping[IntentId, Scope]:
        """The scope of each intent, without the globs that exceed the limits of scope section 3."""
        intents = self.file.intents
        compiled = compile_scopes([intent.owned_scope for intent in intents], self.spelling)
        return dict(zip((intent.id for intent in intents), compiled, strict=True))

    @cached_property
    def ignored(self) -> Mapping[IntentId, tuple[str, ...]]:
        """From each ignored intent's id to the patterns of `.intentignore` that match it."""
        matched = {i.id: self.ignored_patterns.matching(i.id) for i in self.file.intents}
        return {intent_id: patterns for intent_id, patterns in matched.items() if patterns}

    def flags_of(self, intent: Intent) -> tuple[str, ...]:
        """Return `INTENT_IGNORED` as a tuple if `.intentignore` matches the intent, else ()."""
        return (RequestCode.INTENT_IGNORED.value,) if intent.id in self.ignored else ()

    def owners(self, path: WorkspacePath) -> tuple[Ownership, ...]:
        """Return every intent that owns a path, in file order. The first call builds the index."""
        return self.index.owners(path)

    def active(self, intent_id: str | None) -> Intent | None:
        """Return the intent with this id or earlier id, closed or not, or None if there is none."""
        return None if intent_id is None else self.file.intents.get(intent_id)

    def present_id(self, name: str | None) -> str | None:
        """Return the present id of the intent with this id or earlier id.

        Return `name` itself if there is no such intent, or if it is None.
        """
        intent = self.active(name)
        return name if intent is None else intent.id

    @cached_property
    def generated(self) -> Scope:
        """The scope of files that tools generate. Changes of these files need no intent."""
        return compile_scope((*GENERATED, *self.policy.generated), self.spelling)

    @cached_property
    def specs(self) -> Scope:
        """The scope in which a new file is a new numbered specification (row 15 of the gate)."""
        return compile_scope(self.policy.spec_iteration_globs, self.spelling)

    @cached_property
    def _denials(self) -> Sequence[tuple[DenyRule, Scope]]:
        denying = self.policy.deny_mutations
        return [(rule, compile_scope((rule.path_glob,), self.spelling)) for rule in denying]

    def denied(self, path: WorkspacePath) -> DeniedPath | None:
        """Return why agents may not change a path (row 6 of the gate), or None if they may.

        If both a rule of the policy and the control plane deny the path, the result names the rule.
        """
        for rule, scope in self._denials:
            if scope.covers(path):
                return DeniedPath(path, rule.path_glob, rule.reason)
        glob = control_glob(path)
        reason = LOCAL_ROOM_REASON if path == LOCAL_ROOM else CONTROL_REASON
        return None if glob is None else DeniedPath(path, glob, reason)

    def question(
        self, files: tuple[FileFact, ...], intent_id: str | None, scope: Scope
    ) -> GateRequest:
        """Return the gate request for a save of `files` under an intent whose scope is `scope`.

        For another edit, `tool_name` and `call` have to be replaced.
        """
        return GateRequest(
            governed=self.governed,
            files=files,
            active_intent=intent_id,
            intents=self.file.intents,
            ignored=self.ignored,
            scope=scope,
            owners=self.owners,
        )

    def scope_of(self, intent: Intent | None, granted: tuple[str, ...] = ()) -> Scope:
        """Return the scope of an intent, extended by the globs `granted`.

        None counts as an intent without globs.
        """
        owned = compile_scopes([()])[0] if intent is None else self.scopes[intent.id]
        if not granted:
            return owned
        more = compile_scope(granted, self.spelling)
        return Scope((*owned.patterns, *granted), (*owned.compiled, *more.compiled))


class RulesCache:
    """The current rules of a root.

    The intents file, the policy and `.intentignore` are read again only if one of them has changed
    or could not be read.
    """

    def __init__(self, root: Path) -> None:
        self._paths = tuple(root / name for name in _FILES)
        # `current` runs several times per edit, and converting a Path costs as much as its `stat`.
        self._spelled = tuple(map(os.fspath, self._paths))
        self._spelling = NameComparison(case_sensitive(root), nfc=sys.platform == "darwin")
        self._reader = IntentsReader()
        self._lock = threading.Lock()
        self._stamps: tuple[Stamp | None, ...] | None = None
        self._rules: Rules | None = None
        self._unreadable = False
        self._said: dict[WorkspacePath, str] = {}
        self._good_policy = TeamPolicy()
        self._good_ignored = IgnoredIntents()

    def current(self) -> Rules:
        """Return the rules that the files on disk now contain.

        For a policy file that cannot be read or parsed, or an ignore file that cannot be read, its
        last good version counts.
        """
        with self._lock:
            stamps = tuple(map(files.stamp, self._spelled))
            if self._rules is None or self._unreadable or stamps != self._stamps:
                self._rules = self._renewed(self._rules)
                self._stamps = stamps
            return self._rules

    def _renewed(self, former: Rules | None) -> Rules:
        """Read the files again. Return `former` if the rules are the same, else a new version."""
        if former is None:
            return self._read(1)
        fresh = self._read(former.version + 1)
        return former if replace(fresh, version=former.version) == former else fresh

    def _read(self, version: int) -> Rules:
        intents, policy, ignored = map(self._bytes, _FILES, self._paths)
        # A change of permissions leaves the stamps the same, so an unreadable file is always tried
        # again.
        self._unreadable = any(isinstance(data, OSError) for data in (intents, policy, ignored))
        state, reason, read = _intents_of(self._reader, intents)
        found = None if isinstance(policy, OSError) else policy_file(policy)
        if found is not None and found.parsed:
            self._good_policy = found.policy
        if not isinstance(ignored, OSError):
            self._good_ignored = read_ignored(_lenient(ignored))
        return Rules(
            version=version,
            state=state,
            reason=reason,
            file=read,
            policy=self._good_policy,
            spelling=self._spelling,
            ignored_patterns=self._good_ignored,
        )

    def _bytes(self, name: WorkspacePath, path: Path) -> bytes | OSError | None:
        try:
            data = files.read_bytes(path, MAX_BYTES)
        except OSError as problem:
            # This runs for every call: log the same problem only once while it lasts.
            if self._said.get(name) != str(problem):
                self._said[name] = str(problem)
                _log.warning("%s cannot be read: %s", name, problem)
            return problem
        self._said.pop(name, None)
        return data


def _intents_of(
    reader: IntentsReader, data: bytes | OSError | None
) -> tuple[FileState, str | None, IntentsFile]:
    """Parse an intents file: its bytes, None if there is no file, or the error of reading it.

    Return the file's state, the reason if it is not OK, and the intents.
    """
    nothing = reader.read("")
    if data is None:
        return FileState.MISSING, f"{INTENTS_FILE} is missing", nothing
    if isinstance(data, OSError):
        return FileState.BROKEN, f"{INTENTS_FILE} cannot be read: {data.strerror}", nothing
    text = decode(data)
    if text is None:
        why = "has NUL bytes" if b"\0" in data else "is not UTF-8 text"
        return FileState.BROKEN, f"{INTENTS_FILE} {why}", nothing
    read = reader.read(text.text)
    if read.parsed:
        return FileState.OK, None, read
    first = min(read.findings, key=lambda finding: (finding.severity, finding.span))
    place = f"{INTENTS_FILE}:{first.span.start.line + 1}:{first.span.start.character + 1}"
    return FileState.BROKEN, f"{place}: {first.message}", read


def rules_from(
    intents: bytes | None, policy: bytes | None, ignored: bytes | None, *, spelling: NameComparison
) -> Rules:
    """Return the rules that three files contain, whose bytes are given; None: there is no file."""
    state, reason, read = _intents_of(IntentsReader(), intents)
    return Rules(
        version=1,
        state=state,
        reason=reason,
        file=read,
        policy=policy_file(policy).policy,
        spelling=spelling,
        ignored_patterns=read_ignored(_lenient(ignored)),
    )


def policy_file(data: bytes | None) -> PolicyFile:
    """Parse the bytes of the policy file, even if they are not UTF-8. None gives the defaults."""
    return read_policy(_lenient(data))


def _lenient(data: bytes | None) -> str:
    text = decode(data or b"")
    return text.text if text else (data or b"").decode("utf-8", "replace")
