"""Agents' changes of files that no agent may change: the control plane, and what the policy denies.

Specified in requirements sections 5.1, 6 (row 6) and 14.

Invariant: what the server writes in an agent's name is the server's change.
Invariant: a change that a person approved is no agent's own.
"""

from collections.abc import Sequence

from intent_lsp.core.check.authorship import agent_evidence
from intent_lsp.core.check.intents_change import only_by_server
from intent_lsp.core.check.report import FindingLevel
from intent_lsp.core.content import FileContent
from intent_lsp.core.gate.file_class import FileClass
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.governance.check.change import GitChange, OriginatedFile
from intent_lsp.governance.check.finding_list import FindingList, FoundPlace
from intent_lsp.governance.check.intent_judge import IntentJudge, PastGrants
from intent_lsp.governance.check.origins import authors_of_records


class AgentChanges:
    """Reports the agents' changes of one change in git.

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
        agent's, if only the server writes the file, if it is the intents file, changed as the
        server changes it, if the change restores it, or if a person approved all its edits. `judge`
        decides which paths agents may change; `found` gets the findings.
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
            found.add(
                denied.code.value,
                FindingLevel.ERROR,
                f"{denied.message} It counts as an agent's change: {evidence}.",
                FoundPlace(commit=self._change.id, file=file.file, moved_away=moved_away),
            )
        return refused

    def _evidence(self, file: OriginatedFile) -> str | None:
        """Return why a file's change counts as an agent's; None if it does not.

        None too if a person approved each of its edits.
        """
        if file.origins and all(origin.approved for origin in file.origins):
            return None
        records = [record for origin in file.origins for record in origin.records]
        return agent_evidence(authors_of_records(records), self._named, self._others)

    def _is_servers(self, file: OriginatedFile, path: WorkspacePath) -> bool:
        """Whether the intents file differs only as the server writes it in an agent's name.

        False for any other `path`, and if the file was not there or does not parse before or after.
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
