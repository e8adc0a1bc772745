"""Judging one change in git: its hunks by its intents, its agents' files, its missing records.

Specified in requirements sections 5.1, 6 (row 6) and 14.

Invariant: files that only the server writes are not judged here; verification judges the ledger.
Invariant: what the server writes in an agent's name is the server's change.
Invariant: a file's change does not count as an agent's if a person approved the newest edit of each
hunk.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.check.authorship import agent_evidence, agent_named, only_by_server
from intent_lsp.core.check.report import CheckedChange, FindingLevel
from intent_lsp.core.codes import NO_USABLE_INTENT, CheckCode, GateCode
from intent_lsp.core.content import FileContent
from intent_lsp.core.control_plane import FileClass, standing
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.gate.words import open_owners
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.governance.check.change import (
    CheckWishes,
    GitChange,
    NamedIntents,
    OriginatedFile,
    intents_of,
)
from intent_lsp.governance.check.diffed_files import DiffedFile
from intent_lsp.governance.check.finding_list import FindingList, FoundPlace
from intent_lsp.governance.check.intent_judge import IntentJudge, PastGrants
from intent_lsp.governance.check.origins import HunkOrigins, authors_of_records
from intent_lsp.governance.root.rules import Rules

_UNRECORDED: Final = "No record explains this change."
_BEFORE_GOVERNANCE: Final = "neither this change nor the commit before it has an intents file"
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
        """Judge a commit, or all that is not committed, and return how it was judged.

        The findings are added to `self.found`. What no rules govern is not judged: `skipped` of the
        result says why. Raise LedgerUnavailableError if the ledger cannot be read.
        """
        self.found.begin(change.files)
        subject = "" if change.commit is None else change.commit.subject
        self._report_broken(change)
        if not change.rules.versions:
            skipped = change.rules.problem or _BEFORE_GOVERNANCE
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
        # Whatever `fail_open` says, a change that cannot be judged is not passed over in silence.
        message = f"Governance Unavailable: {problem}. Fix that in this change."
        files = [file for file in change.files if file.path == INTENTS_FILE]
        if not change.rules.versions:
            files = files or [*change.files[:1]]
        for file in files:
            place = FoundPlace(commit=change.id, file=file)
            self.found.add(GateCode.GOVERNANCE_UNAVAILABLE, message, place)

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
        judge, rules = IntentJudge(change.rules, self.grants), change.rules.versions[0]
        agents = AgentChanges(change, files, agent, self.grants)
        refused: dict[GateCode, list[tuple[FoundPlace, Denied, tuple[str, ...]]]] = {}
        for file in files:
            if agents.report(file, judge, self.found) or not file.judged:
                continue
            for place, denied, ids in self._refusals(change, file, named, judge):
                # These concern the intent and not a file: one finding stands for all files.
                if denied.code in NO_USABLE_INTENT:
                    refused.setdefault(denied.code, []).append((place, denied, ids))
                else:
                    owners = open_owners(rules.file.intents, rules.owners, place.path)
                    self.found.add(denied.code, denied.message, place, intents=ids, owners=owners)
            self._report_unrecorded(change, file)
        for each in refused.values():
            self._add_for_all(each)

    def _refusals(
        self, change: GitChange, file: OriginatedFile, named: NamedIntents, judge: IntentJudge
    ) -> Iterator[tuple[FoundPlace, Denied, tuple[str, ...]]]:
        """Yield (place, refusal, intent ids) for each refused hunk of a file.

        The ids are those of the intents that the hunk is judged by. A hunk whose newest edit a
        person approved is left out. The path that the file was moved from is judged too, if it is
        governed and no hunk is left out.
        """
        for origin in file.origins:
            ids = named.of_hunk(origin, file)
            moment = origin.moment or change.moment
            place = FoundPlace(commit=change.id, file=file.file, hunk=origin.hunk)
            denied = None if origin.approved else judge.denied(file.file.path, ids, moment)
            if denied is not None:
                yield place, denied, ids
        previous = file.file.previous
        policy = change.rules.versions[0].policy
        if previous is None or standing(previous, policy, ignored=False) is not FileClass.GOVERNED:
            return
        ids = file.intent_ids or named.ids
        denied = judge.denied(previous, ids, change.moment)
        if denied is not None and not any(origin.approved for origin in file.origins):
            yield FoundPlace(commit=change.id, file=file.file, moved_away=True), denied, ids

    def _add_for_all(self, refused: Sequence[tuple[FoundPlace, Denied, tuple[str, ...]]]) -> None:
        """Add one finding, at the first of these places, for refusals that have the same code."""
        place, denied, ids = refused[0]
        paths = tuple(dict.fromkeys(each.path for each, _, _ in refused))
        count = len(paths)
        more = f" The finding concerns {count} files." if count > 1 else ""
        cure = _HOW_TO_NAME if denied.code is GateCode.NO_ACTIVE_INTENT else ""
        told = denied.message.removesuffix(_IN_AN_EDITOR) + cure + more
        self.found.add(denied.code, told, place, intents=ids)

    def _report_unrecorded(self, change: GitChange, file: OriginatedFile) -> None:
        level = FindingLevel.ERROR if self.wishes.require_coverage else FindingLevel.WARNING
        for origin in file.origins:
            if not origin.explained:
                place = FoundPlace(commit=change.id, file=file.file, hunk=origin.hunk)
                self.found.add(CheckCode.UNRECORDED_CHANGE, _UNRECORDED, place, level=level)


class AgentChanges:
    """Reports what agents may not change and have changed in one change in git.

    `named` is the agent that the change itself names, or None.
    """

    def __init__(
        self,
        change: GitChange,
        files: Sequence[OriginatedFile],
        named: str | None,
        grants: PastGrants,
    ) -> None:
        self._change, self._named, self._grants = change, named, grants
        records = (origin.records for file in files for origin in file.origins)
        self._others = tuple(authors_of_records(each for found in records for each in found))

    def report(self, file: OriginatedFile, judge: IntentJudge, found: FindingList) -> bool:
        """Add a finding for each path of a file that an agent changed and may not change.

        Return whether a finding was added. There is none if the change does not count as an
        agent's, if only the server writes the file, if the change restores the file, or if a person
        approved the newest edit of each hunk. There is none either if the file is the intents file
        and only the kind of change was made that the server makes. `judge` decides which paths
        agents may change; `found` gets the findings. Raise LedgerUnavailableError.
        """
        evidence = self._evidence(file)
        servers = file.kind is FileClass.SERVER_ONLY
        if evidence is None or servers or found.restores(file.file):
            return False
        refused = False
        for path, moved_away in _paths(file):
            denied = judge.denied_to_agents(path)
            if denied is None or self._is_servers(file, path):
                continue
            refused = True
            told = f"{denied.message} It counts as an agent's change: {evidence}."
            place = FoundPlace(commit=self._change.id, file=file.file, moved_away=moved_away)
            found.add(denied.code, told, place)
        return refused

    def _evidence(self, file: OriginatedFile) -> str | None:
        """Return why a file's change counts as an agent's; None if it does not.

        None too if a person approved the newest edit of each of its hunks.
        """
        if file.origins and all(origin.approved for origin in file.origins):
            return None
        records = [record for origin in file.origins for record in origin.records]
        return agent_evidence(authors_of_records(records), self._named, self._others)

    def _is_servers(self, file: OriginatedFile, path: WorkspacePath) -> bool:
        """Whether the intents file differs only as the server writes it in an agent's name.

        The server writes, for example, that an intent is COMPLETED. False for any other `path` and
        for an intents file that was moved away. False, too, if the intents file is missing or does
        not parse, before or after the change.
        """
        if path != INTENTS_FILE or file.file.path != path:
            return False
        before, after = _intents(file.file.before), _intents(file.file.after)
        if before is None or after is None:
            return False

        def granted(intent: Intent) -> frozenset[str]:
            return self._grants.lasting(after.names(intent))

        return only_by_server(before, after, granted)


def _paths(file: OriginatedFile) -> Sequence[tuple[WorkspacePath, bool]]:
    """Return (path, False) for a changed file, and after a rename also (earlier path, True)."""
    own = (file.file.path, False)
    return (own,) if file.file.previous is None else (own, (file.file.previous, True))


def _intents(content: FileContent) -> Intents | None:
    text = content.text
    read = None if text is None or content.absent else read_intents(text)
    return read.intents if read is not None and read.parsed else None
