"""Judging one change in git: its hunks by its intents, its agents' files, its missing records.

Specified in requirements section 14.

Invariant: files that only the server writes are not judged here; verification judges the ledger.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.check.authorship import agent_named
from intent_lsp.core.check.report import CheckedChange, FindingLevel
from intent_lsp.core.codes import CheckCode, GateCode
from intent_lsp.core.gate.file_class import FileClass, standing
from intent_lsp.core.gate.gate import unavailable
from intent_lsp.core.gate.intent_lists import open_owners
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.governance.check.agent_changes import AgentChanges
from intent_lsp.governance.check.change import CheckWishes, GitChange, OriginatedFile
from intent_lsp.governance.check.change_intents import NamedIntents, intents_of
from intent_lsp.governance.check.diffed_files import DiffedFile
from intent_lsp.governance.check.finding_list import FindingList, FoundPlace
from intent_lsp.governance.check.intent_judge import IntentJudge, PastGrants
from intent_lsp.governance.check.origins import HunkOrigins
from intent_lsp.governance.root.rules import Rules

_OF_ALL_FILES: Final = (
    GateCode.NO_ACTIVE_INTENT,
    GateCode.INTENT_NOT_FOUND,
    GateCode.INTENT_CLOSED,
    GateCode.INTENT_IGNORED,
)
"""Refusals that concern the intent and not a file, so that one finding stands for all files."""

_UNRECORDED: Final = "No record explains this change."
_IN_AN_EDITOR: Final = " Select one with intent.select."
"""The gate's advice to a person at an editor, which is none for a commit."""
_HOW_TO_NAME: Final = (
    " A commit names its intent by the trailer `Intent: ID`, by its records, or by its branch."
)


class ChangeJudge(Struct, frozen=True, kw_only=True):
    """Judges the changes of one check, one after the other, and collects what it finds."""

    origins: HunkOrigins
    grants: PastGrants
    wishes: CheckWishes
    found: FindingList

    def judge(self, change: GitChange) -> CheckedChange:
        """Judge one change and return how it was judged; `found` gets its findings.

        A change that no rules govern is skipped. Raise LedgerUnavailableError.
        """
        self.found.begin(change.files)
        subject = "" if change.commit is None else change.commit.subject
        self._report_broken(change)
        if not change.rules.versions:
            skipped = change.rules.problem or "nothing governed the project yet"
            return CheckedChange(commit=change.id, subject=subject, skipped=skipped)
        files = [self._originated(file, change.rules.versions[0]) for file in change.files]
        files = [each for each in files if each.kind is not FileClass.IGNORED]
        named = intents_of(change, files, self.wishes)
        agent = None if change.commit is None else agent_named(change.commit, self.wishes.agents)
        self._judge_files(change, files, named, agent)
        judged = [each for each in files if each.judged]
        origins = [origin for each in judged for origin in each.origins]
        return CheckedChange(
            commit=change.id,
            subject=subject,
            intents=named.ids,
            source=named.source,
            agent=agent or "",
            files=len(judged),
            hunks=len(origins),
            recorded=sum(origin.explained for origin in origins),
        )

    def _report_broken(self, change: GitChange) -> None:
        """Add a finding if a change breaks the intents file, or cannot be judged because of it."""
        problem = change.rules.problem
        if problem is None:
            return
        denied = unavailable(problem, ())
        files = [file for file in change.files if file.path == INTENTS_FILE]
        if not change.rules.versions:
            files = files or [*change.files[:1]]
        for file in files:
            place = FoundPlace(commit=change.id, file=file)
            self.found.add(denied.code.value, FindingLevel.ERROR, denied.message, place)

    def _originated(self, file: DiffedFile, rules: Rules) -> OriginatedFile:
        kind = standing(file.path, rules.policy, ignored=False)
        origins = () if kind is FileClass.SERVER_ONLY else self.origins.of(file)
        # Undoing is never refused (ADR 0006).
        exempt = rules.generated.covers(file.path) or self.found.restores(file)
        judged = kind is FileClass.GOVERNED and not exempt
        return OriginatedFile(file, kind, origins, judged)

    def _judge_files(
        self,
        change: GitChange,
        files: Sequence[OriginatedFile],
        named: NamedIntents,
        agent: str | None,
    ) -> None:
        judge = IntentJudge(change.rules, self.grants)
        agents = AgentChanges(change, files, agent, self.grants)
        refused: dict[GateCode, list[tuple[FoundPlace, Denied, tuple[str, ...]]]] = {}
        for file in files:
            if agents.report(file, judge, self.found) or not file.judged:
                continue
            for place, denied, ids in self._refusals(change, file, named, judge):
                if denied.code in _OF_ALL_FILES:
                    refused.setdefault(denied.code, []).append((place, denied, ids))
                else:
                    self._add_refusal(change, place, denied, ids)
            self._report_unrecorded(change, file)
        for each in refused.values():
            self._add_for_all(each)

    def _refusals(
        self, change: GitChange, file: OriginatedFile, named: NamedIntents, judge: IntentJudge
    ) -> Iterator[tuple[FoundPlace, Denied, tuple[str, ...]]]:
        """Yield (place, refusal, intent ids) for each refused hunk of a file.

        The path that the file was moved from is judged too, if it is governed. Edits that a person
        approved are left out.
        """
        for origin in file.origins:
            ids = named.of_hunk(origin, file)
            moment = origin.moment or change.moment
            place = FoundPlace(commit=change.id, file=file.file, hunk=origin.hunk)
            denied = None if origin.approved else judge.denied(file.file.path, ids, moment)
            if denied is not None:
                yield place, denied, ids
        previous = file.file.previous
        if previous is None or not self._judges(previous, change):
            return
        ids = file.intent_ids or named.ids
        denied = judge.denied(previous, ids, change.moment)
        if denied is not None and not any(origin.approved for origin in file.origins):
            yield FoundPlace(commit=change.id, file=file.file, moved_away=True), denied, ids

    def _judges(self, path: WorkspacePath, change: GitChange) -> bool:
        policy = change.rules.versions[0].policy
        return standing(path, policy, ignored=False) is FileClass.GOVERNED

    def _add_refusal(
        self, change: GitChange, place: FoundPlace, denied: Denied, ids: tuple[str, ...]
    ) -> None:
        rules = change.rules.versions[0]
        owners = open_owners(rules.file.intents, rules.owners, place.path)
        self.found.add(
            denied.code.value,
            FindingLevel.ERROR,
            denied.message,
            place,
            intents=ids,
            owners=owners,
        )

    def _add_for_all(self, refused: Sequence[tuple[FoundPlace, Denied, tuple[str, ...]]]) -> None:
        """Add one finding, at the first of these places, for refusals that have the same code."""
        place, denied, ids = refused[0]
        paths = tuple(dict.fromkeys(each.path for each, _, _ in refused))
        count = len(paths)
        more = f" The finding concerns {count} files." if count > 1 else ""
        cure = _HOW_TO_NAME if denied.code is GateCode.NO_ACTIVE_INTENT else ""
        told = denied.message.removesuffix(_IN_AN_EDITOR) + cure + more
        self.found.add(denied.code.value, FindingLevel.ERROR, told, place, intents=ids)

    def _report_unrecorded(self, change: GitChange, file: OriginatedFile) -> None:
        level = FindingLevel.ERROR if self.wishes.require_coverage else FindingLevel.WARNING
        for origin in file.origins:
            if not origin.explained:
                place = FoundPlace(commit=change.id, file=file.file, hunk=origin.hunk)
                self.found.add(CheckCode.UNRECORDED_CHANGE.value, level, _UNRECORDED, place)
