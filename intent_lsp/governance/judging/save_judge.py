"""Judging a save: which rules its file falls under, then the gate (requirements sections 6 to 8).

Invariant: an edit is not stale if the server itself wrote the file last.
Invariant: while governance is on, an agent's save of a control file is refused, unless it restores
the file or has a ticket.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode
from intent_lsp.core.content import ContentHash, FileContent
from intent_lsp.core.control_plane import FileClass, control_plane, standing
from intent_lsp.core.gate.checks import path_denied
from intent_lsp.core.gate.explain import ExplainedRow, RowOutcome, explain_save
from intent_lsp.core.gate.gate import judge_save
from intent_lsp.core.gate.request import (
    Allowed,
    CallFacts,
    Denied,
    FileFact,
    GateRequest,
    SaveDecision,
    Unread,
)
from intent_lsp.core.gate.words import open_owners
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.root.grants import Grants
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.sessions import Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import ResolvedPath

_NOT_ASKED: Final = {
    FileClass.EXEMPT: "People may always change {path}: no intent has to own it.",
    FileClass.SERVER_ONLY: "Only intent-lsp may write {path}: a save of it is recorded as FAIL.",
    FileClass.IGNORED: "{path} belongs to git or is ignored by it, so its saves are not checked.",
}


class Judgement(Struct, frozen=True, kw_only=True):
    """The decision on one file for one session; `decision` is None if the file is not judged.

    `standing` says how saves of the file are treated, `selected` is the id of the session's
    selected intent. `owners` are the open intents that own the file of a refused edit, without
    those in `.intentignore`; there are none if selecting another intent could not solve the
    refusal. `ticket` is an agent's open ticket for the file, whose verdict the edit then gets.
    `own_write` is the hash of the server's last write of the file. If the edit is allowed only
    because it restores the file, `restores` is the refusal that it would get otherwise.
    """

    path: WorkspacePath
    standing: FileClass
    decision: SaveDecision | None
    rules: Rules
    intent: Intent | None
    owners: tuple[IntentId, ...] = ()
    selected: str | None = None
    ticket: Ticket | None = None
    own_write: ContentHash | None = None
    restores: Denied | None = None

    @property
    def denied(self) -> Denied | None:
        """The refusal, or None if the edit is not refused."""
        return self.decision if isinstance(self.decision, Denied) else None

    @property
    def verdict(self) -> ScopeValidation | None:
        """The verdict for the edit's record, or None if the edit is not recorded."""
        match self.standing:
            case FileClass.IGNORED:
                return None
            case FileClass.EXEMPT:
                return ScopeValidation.EXEMPT
            case FileClass.SERVER_ONLY:
                return ScopeValidation.FAIL if self.decision is None else self.decision.verdict
            case FileClass.GOVERNED:
                return ScopeValidation.EXEMPT if self.decision is None else self.decision.verdict


class BaseHash(Struct, frozen=True, kw_only=True):
    """The hash that an edit's author last read, and the hash on disk now (None: no file)."""

    read: ContentHash | Unread | None = Unread.NEVER
    disk: ContentHash | None = None


UNREAD = BaseHash()

_OF_INTENTS: Final = (*NO_USABLE_INTENT, GateCode.SCOPE_VIOLATION)
"""The refusals that selecting another intent could solve."""


class SaveJudge(Struct, frozen=True, kw_only=True):
    """Judges saves, file operations and changes on disk of the files of one root."""

    stores: Stores
    sessions: Sessions
    contents: Contents
    grants: Grants

    def judge(self, session_id: str, place: ResolvedPath, reading: BaseHash = UNREAD) -> Judgement:
        """Return the judgement of a session's edit of a file, under the current rules.

        `reading` has the hash that the edit's author last read and the one on disk now, which show
        whether the edit is stale.
        """
        rules = self.stores.rules.current()
        memory = self.sessions.save_memory(session_id, place.path)
        intent_id = None if memory.row is None else rules.present_id(memory.row.active_intent)
        kind = self._standing(place, rules)
        judgement = Judgement(
            path=place.path,
            standing=kind,
            decision=None,
            rules=rules,
            intent=rules.active(intent_id),
            selected=intent_id,
            own_write=memory.own_write,
        )
        by_agent = rules.governed and self.sessions.saves_as_agent(session_id)
        if kind is not FileClass.GOVERNED and not by_agent:
            return judgement
        ticket = memory.ticket if rules.governed else None
        if ticket is not None:
            allowed = Allowed(ticket.verdict, ticket.warnings)
            return replace(judgement, standing=FileClass.GOVERNED, decision=allowed, ticket=ticket)
        question = self._question(judgement, place, reading)
        if by_agent:
            kind, denied = agents_standing(kind, question, rules)
            judgement = replace(judgement, standing=kind, decision=denied)
        return _decided(judgement, question, place)

    def explain(
        self, session_id: str, place: ResolvedPath
    ) -> tuple[tuple[ExplainedRow, ...], Judgement]:
        """Return every check on a session's save (one if no gate is asked), and its judgement.

        Raise OSError if the gate is asked and the file cannot be read.
        """
        judgement = self.judge(session_id, place)
        row = unasked_row(judgement.path, judgement.standing, judgement.denied)
        if row is not None:
            return (row,), judgement
        reading = BaseHash(disk=self.contents.hash_of(place.path))
        return explain_save(self._question(judgement, place, reading)), judgement

    def allow_restoring(
        self, judgement: Judgement, session_id: str, reading: BaseHash, text: str | None
    ) -> Judgement:
        """Return the judgement; allow a refused edit if `text` is that of HEAD or the baseline.

        The edit stays refused if the disk holds a change that the author never read, since
        restoring would overwrite it.
        """
        denied = judgement.denied
        if denied is None or text is None or is_stale(judgement, reading):
            return judgement
        if not self._put_back(judgement.path, session_id, text):
            return judgement
        return replace(judgement, decision=Allowed(ScopeValidation.EXEMPT), restores=denied)

    def _put_back(self, path: WorkspacePath, session_id: str, text: str) -> bool:
        head = self.contents.head(path)
        return _same(head, text) or _same(self.contents.baseline(session_id, path), text)

    def _standing(self, place: ResolvedPath, rules: Rules) -> FileClass:
        git = self.stores.git
        ignored = git is not None and git.ignored(place.path)
        return standing(place.path, rules.policy, ignored=ignored)

    def _question(
        self, judgement: Judgement, place: ResolvedPath, reading: BaseHash
    ) -> GateRequest:
        rules = judgement.rules
        scope = self.grants.scope_of(rules, judgement.intent)
        return rules.question(_facts(judgement, place, reading), judgement.selected, scope)

    def clear_own_write(self, judgement: Judgement) -> None:
        """Forget the server's last write of a file, since an editor has written the file."""
        state = self.stores.state
        if state is not None and judgement.own_write is not None:
            state.forget_own_write(judgement.path)


def is_stale(judgement: Judgement, reading: BaseHash) -> bool:
    """Return whether the file is neither as the author read it nor as the server last wrote it.

    Return False if the author has never read it.
    """
    expected = _expected(judgement, reading)
    return expected is not Unread.NEVER and expected != reading.disk


def _facts(judgement: Judgement, place: ResolvedPath, reading: BaseHash) -> tuple[FileFact, ...]:
    fact = FileFact(
        path=place.path,
        outside=place.real is None,
        expected=_expected(judgement, reading),
        current=reading.disk,
    )
    # The path may be a link: both it and the file that it leads to must be in scope.
    if place.real is None or place.real == place.path:
        return (fact,)
    return (fact, FileFact(path=place.real))


def _expected(judgement: Judgement, reading: BaseHash) -> ContentHash | Unread | None:
    own = reading.disk is not None and judgement.own_write == reading.disk
    return reading.disk if own else reading.read


def _decided(judgement: Judgement, question: GateRequest, place: ResolvedPath) -> Judgement:
    """Return the judgement with the gate's decision and, if it refuses, the `owners`.

    Unchanged if refused already or not GOVERNED. A generated file needs no intent to be allowed.
    """
    if judgement.denied is not None or judgement.standing is not FileClass.GOVERNED:
        return judgement
    decision = judge_save(question)
    if isinstance(decision, Denied) and _is_generated(decision, judgement.rules, place):
        decision = Allowed(ScopeValidation.EXEMPT)
    owners = _leading_out(decision, judgement.rules, place)
    return replace(judgement, decision=decision, owners=owners)


def _is_generated(denied: Denied, rules: Rules, place: ResolvedPath) -> bool:
    """Return whether another intent could solve the refusal of a file, and tools generate the file.

    `Rules.generated` covers the files that tools generate.
    """
    paths = {place.path, place.real or place.path}
    return denied.code in _OF_INTENTS and all(map(rules.generated.covers, paths))


def _same(content: FileContent, text: str) -> bool:
    return content.hash is not None and content.text == text


def _leading_out(decision: SaveDecision, rules: Rules, place: ResolvedPath) -> tuple[IntentId, ...]:
    """Return the open intents that own a refused file, if selecting one could solve the refusal.

    Else return (). Left out are ignored intents, and those that do not also own the path to which
    the file's links lead.
    """
    if not isinstance(decision, Denied) or decision.code not in _OF_INTENTS:
        return ()
    intents, real = rules.file.intents, place.real or place.path
    there = open_owners(intents, rules.owners, real)
    return tuple(
        owner
        for owner in open_owners(intents, rules.owners, place.path)
        if owner in there and owner not in rules.ignored
    )


def agents_standing(
    standing: FileClass, question: GateRequest, rules: Rules
) -> tuple[FileClass, Denied | None]:
    """Return how an agent's save of a file in an editor is treated, and the refusal or None.

    The refusal is None if agents may change the file. `standing` says how a person's save is
    treated.
    """
    found = tuple(filter(None, map(rules.denied, question.paths)))
    if not found:
        return (FileClass.GOVERNED if standing is FileClass.EXEMPT else standing), None
    call = CallFacts(policy_version=rules.policy.version, denied_paths=found)
    # A SERVER_ONLY text is compared with what the editor last read, not with HEAD: diagnostics show
    # the agent's own edit of a control file, and not what others have written to it since.
    control = any(map(control_plane, question.paths))
    return (
        FileClass.SERVER_ONLY if control else FileClass.GOVERNED,
        path_denied(replace(question, call=call)),
    )


def unasked_row(
    path: WorkspacePath, standing: FileClass, denied: Denied | None
) -> ExplainedRow | None:
    """Return the check that decides on a save without asking the gate, or None if it is asked.

    `denied` is the file's refusal, or None. The only refusal without the gate is PATH_DENIED.
    """
    if denied is not None and denied.code is GateCode.PATH_DENIED:
        fact = denied.message
        return ExplainedRow(number=6, code=denied.code, fact=fact, outcome=RowOutcome.FAIL)
    if standing is FileClass.GOVERNED:
        return None
    fact = _NOT_ASKED[standing].format(path=path)
    return ExplainedRow(number=2, code=None, fact=fact, outcome=RowOutcome.PASS)
