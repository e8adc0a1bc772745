"""An agent's call that is to be judged, and the facts that the gate judges it by.

Specified in requirements section 6.

Invariant: the caller holds the root's lock from reading the facts until the gate has judged.
Invariant: a path is judged both as it is written and as its links resolve.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tools import ToolCall, blocked
from intent_lsp.core.commands.reading import Effect, TouchedPath
from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.gate.request import (
    NO_ANSWER,
    ApprovalAnswer,
    CallFacts,
    DeniedPath,
    FileFact,
    GateRequest,
    Unread,
)
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.core.policy import ContractRule
from intent_lsp.formats.tool_call import CallReading
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.judging.command_paths import CommandPaths
from intent_lsp.governance.judging.restoring_edits import may_undo, puts_back
from intent_lsp.governance.root.grants import Grants
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.sessions import EXECUTION_AUTHORIZED, Asker
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files as disk
from intent_lsp.store.fs.local_dir import control_drift
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.state.judging_state import FileMemory

PUT_BACK: Final = (
    "The command perhaps undoes violations: the files that it would restore are judged once it has"
    " ended."
)
_NOTHING_KNOWN: Final = FileMemory()


class Hearing(Struct, frozen=True, kw_only=True):
    """A call to be judged: what it would do (`reading`), who makes it, and by which rules.

    `word` is a person's answer to an approval request.
    """

    call: ToolCall
    reading: CallReading
    asker: Asker
    rules: Rules
    word: ApprovalAnswer = NO_ANSWER


class CallFile(Struct, frozen=True, kw_only=True):
    """One path of a tool call, with the content and hash of its file.

    Both are None if there is no file, it cannot be read, or it lies outside the root. `place` is
    the resolved path, or None if it cannot lie below the root. `there`: something exists at the
    path, readable or not; false if it lies outside the root. `outside`: the path lies outside the
    root, or in another governed root below this one (requirements section 4).
    """

    touched: TouchedPath
    place: ResolvedPath | None
    data: bytes | None = None
    hash: ContentHash | None = None
    there: bool = False
    outside: bool = False


class CallFactsOf:
    """Reads the facts that the gate needs to judge tool calls in one root."""

    def __init__(self, *, stores: Stores, contents: Contents, grants: Grants) -> None:
        self._stores = stores
        self._contents = contents
        self._grants = grants

    def heard(self, hearing: Hearing) -> Hearing:
        """Return the call with its final list of paths to judge.

        If the call has only a command, and no paths or patch, the command's paths are replaced by
        those that `CommandPaths.found` returns. Paths whose files the command may restore after an
        agent's violation are left out: the comparison of the work tree after the command shows
        whether it did. Without a command, the call is returned unchanged.
        """
        reading, call = hearing.reading, hearing.call
        if call.command is None:
            return hearing
        if not call.paths and call.patch is None:
            reading = CommandPaths(self._stores, hearing.rules).found(reading)
            hearing = replace(hearing, reading=reading)
        back = {touched for touched in reading.paths if self._may_be_put_back(touched)}
        if not back:
            return hearing
        paths = tuple(touched for touched in reading.paths if touched not in back)
        reading = replace(reading, paths=paths, unknown=(*reading.unknown, PUT_BACK))
        return replace(hearing, reading=reading)

    def _may_be_put_back(self, touched: TouchedPath) -> bool:
        deleting = touched.effect is Effect.DELETE
        if not (touched.restores or deleting):
            return False
        place = resolve_below(self._stores.root, touched.path)
        if place is None or place.real != place.path:
            return False
        return may_undo(self._contents, place.path, deleting=deleting)

    def files(self, reading: CallReading) -> tuple[CallFile, ...]:
        """Return the paths of a call, resolved, with the contents of their files.

        A path of `reading.perhaps` is left out if no file exists there.
        """
        others = RootsBelow(self._stores.root)
        known = [self._file(touched, others) for touched in reading.paths]
        perhaps = [self._file(touched, others) for touched in reading.perhaps]
        return (*known, *(file for file in perhaps if file.there))

    def question(
        self, hearing: Hearing, files: Sequence[CallFile], facts: CallFacts
    ) -> GateRequest:
        """Return the gate request for a call.

        `facts` are those that concern the call as a whole.
        """
        call, asker, rules = hearing.call, hearing.asker, hearing.rules
        active = None if asker.row is None else rules.present_id(asker.row.active_intent)
        # The gate itself checks that the cited intent is the one checked out; the scope is that of
        # the cited one.
        intent_id = call.intent_id or active
        scope = self._grants.scope_of(rules, rules.active(intent_id))
        question = rules.question(tuple(self._facts(call, asker, files, rules)), intent_id, scope)
        return replace(question, tool_name=call.tool_name, call=facts)

    def of_call(self, hearing: Hearing, files: Sequence[CallFile]) -> CallFacts:
        """Return the facts that concern the call of `hearing` as a whole, not a single file."""
        call, reading, rules = hearing.call, hearing.reading, hearing.rules
        policy, row = rules.policy, hearing.asker.row
        # A call that changes nothing cannot break the directory contract, so skip reading the
        # directory.
        heeded = reading.mutating and policy.contract is not ContractRule.IGNORE
        drift = control_drift(self._stores.root) if heeded else ()
        denies = policy.contract is ContractRule.DENY
        chosen = None
        if row is not None and row.stage == EXECUTION_AUTHORIZED:
            chosen = rules.present_id(row.active_intent)
        new = [file for file in files if not file.there and file.place is not None]
        return CallFacts(
            mutating=reading.mutating,
            looking=reading.looking,
            blocked=blocked(call.tool_name, policy),
            policy_version=policy.version,
            cited=call.intent_id,
            checked_out=chosen,
            require_checkout=policy.require_checkout,
            drift=drift if denies else (),
            warnings=() if denies else tuple(f"{each.path} {each.problem}." for each in drift),
            denied_paths=tuple(_denied(rules, files)),
            require_read=policy.require_read,
            new_specs=tuple(_path(file) for file in new if rules.specs.covers(_path(file))),
            declared_class=call.mutation_class,
            hitl=policy.hitl,
            approval=hearing.word.approval,
            bootstrap=not rules.file.intents and [_path(file) for file in files] == [INTENTS_FILE],
            unknown_paths=reading.unknown,
        )

    def _file(self, touched: TouchedPath, others: RootsBelow) -> CallFile:
        spelled = touched.path
        if spelled.startswith("~") and "\0" not in spelled:
            spelled = os.path.expanduser(spelled)  # noqa: PTH111 - a path that may be no path
        place = resolve_below(self._stores.root, spelled)
        if place is None or place.real is None:
            return CallFile(touched=touched, place=place, outside=True)
        data = self._contents.disk_if_readable(place.path)
        # A file that cannot be read exists nevertheless.
        there = data is not None or disk.stamp(self._stores.root / place.path) is not None
        return CallFile(
            touched=touched,
            place=place,
            data=data,
            hash=hash_if_there(data),
            there=there,
            outside=others.hold(place.path) or others.hold(place.real),
        )

    def _facts(
        self, call: ToolCall, asker: Asker, files: Sequence[CallFile], rules: Rules
    ) -> Iterator[FileFact]:
        remembered = self._remembered(asker, files)
        text, generated = announced(call, len(files)), rules.generated
        for file in files:
            place = file.place
            if place is None or place.real is None or file.outside:
                yield FileFact(path=_path(file), outside=True)
                continue
            memory = remembered.get(place.path, _NOTHING_KNOWN)
            expected, this_turn = _expected(call, asker, file, memory)
            # No comparison follows a call without a command, so its deletion is judged here.
            undoes = call.command is None and self._may_be_put_back(file.touched)
            yield FileFact(
                path=place.path,
                expected=expected,
                current=file.hash,
                read_this_turn=this_turn,
                claimed_by=memory.claimed_by,
                puts_back=undoes
                or (text is not None and puts_back(self._contents, place.path, text)),
                generated=generated.covers(place.path),
            )
            if place.real != place.path:
                yield FileFact(
                    path=place.real,
                    read_this_turn=this_turn,
                    generated=generated.covers(place.real),
                )

    def _remembered(
        self, asker: Asker, files: Sequence[CallFile]
    ) -> Mapping[WorkspacePath, FileMemory]:
        state = self._stores.state
        paths = [file.place.path for file in files if file.place is not None]
        if state is None or not paths:
            return {}
        return state.judging.for_call(
            paths, (asker.session_id, asker.agent_id), self._stores.clock()
        )


def _expected(
    call: ToolCall, asker: Asker, file: CallFile, memory: FileMemory
) -> tuple[ContentHash | Unread | None, bool]:
    """Return the hash that the agent knows of a file, and whether it was learnt in this turn.

    A hash that the call itself names comes first. A file that is as intent-lsp itself wrote it
    last counts as learnt in this turn. Else the hash is that of what the agent last read or wrote:
    None if there was no file, or Unread.NEVER if the agent has done neither.
    """
    for name in (file.touched.path, _path(file)):
        if name in call.read_hashes:
            return call.read_hashes[name], True
    if file.hash is not None and memory.own_write == file.hash:
        return file.hash, True
    return memory.read, memory.turn == asker.turn


def _path(file: CallFile) -> WorkspacePath:
    """Return the path of a file as a refusal shows it.

    A path that cannot lie below the root is shown as the caller wrote it.
    """
    return WorkspacePath(file.touched.path) if file.place is None else file.place.path


def _denied(rules: Rules, files: Sequence[CallFile]) -> Iterator[DeniedPath]:
    for file in files:
        if file.place is None:
            continue
        for path in dict.fromkeys((file.place.path, file.place.real)):
            denied = None if path is None else rules.denied(path)
            if denied is not None:
                yield denied


def announced(call: ToolCall, files: int) -> ContentHash | None:
    """Return the hash of the new text that a call states, or None if it states none.

    Return None too if the call changes more or less than one file; `files` is their number.
    """
    if call.new_text is None or files != 1:
        return None
    return hash_content(call.new_text.encode("utf-8", "surrogatepass"))
