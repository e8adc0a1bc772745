"""The status of a root, the part of it that clients are told, and messages when it changes."""

import logging
from typing import Final

from intent_lsp.doors.lsp.connection.client_ui import ClientUi
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import JsonObject
from intent_lsp.governance.governance import GovernanceStatus, health
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.root.rules import FileState

_log: Final = logging.getLogger(__name__)

OFF: Final = (
    "intent-lsp: governance of {root} is OFF; edits are not checked until this is fixed: {reason}"
)
UNAVAILABLE: Final = (
    "intent-lsp: which intents are selected in {root} cannot be saved to disk: {reason}. Edits are"
    " still checked. Fix this, and the selection is saved within seconds."
)
ON: Final = "intent-lsp: governance of {root} is on again: edits are checked"
SAVED_AGAIN: Final = "intent-lsp: which intents are selected in {root} is saved to disk again"


class GovernanceMessages:
    """Tells the person at one client when a root's governance goes off or on.

    It also tells the person when the root's selected intents cannot be saved to disk, and when they
    can again.
    """

    def __init__(self, people: ClientUi) -> None:
        self._people = people
        self._states: dict[OpenRoot, FileState] = {}

    def announce(self, open_root: OpenRoot, status: GovernanceStatus) -> None:
        """Tell the person if the `file_state` of a root has changed.

        `status` is compared with the status at the last call for the root. Before the first call,
        governance counts as on.
        """
        former = self._states.get(open_root, FileState.OK)
        self._states[open_root] = status.file_state
        if status.file_state is former:
            return
        root = open_root.governance.root
        if status.file_state is FileState.OK:
            again = SAVED_AGAIN if former is FileState.UNAVAILABLE else ON
            self._people.show_message(again.format(root=root))
            return
        problem = UNAVAILABLE if status.file_state is FileState.UNAVAILABLE else OFF
        said = problem.format(root=root, reason=status.reason)
        _log.warning("%s", said)
        self._people.warn(said)


def what_changes(told: JsonObject) -> tuple[object, ...]:
    """Return the values of a status that `intent/didChange` reports when they change.

    These are all but the numbers of records, heads and failures.
    """
    return tuple(
        value for name, value in told.items() if name not in ("records", "heads", "failures")
    )


def state_of(open_root: OpenRoot) -> tuple[GovernanceStatus, tuple[object, ...]]:
    """Return the status of a root, and a value to compare with later ones.

    If the values differ, the decisions on all files of the root may differ. The value is made of
    the rules, HEAD, the active intent with its live grants, and the status's `file_state` with its
    reason.
    """
    governance = open_root.governance
    # Read the rules once: status and version of two moments would hide the change between them.
    rules = governance.rules.current()
    status = governance.status(open_root.session.id, rules)
    kept = status.file_state, status.reason
    return status, governance.decisive(rules, status.active_intent_id, kept)


def key_of_save(open_root: OpenRoot, judgement: Judgement) -> tuple[object, ...]:
    """Return the second value that `state_of` returns, as it is after a save.

    If it differs from an earlier one, the decisions on all files of the root may differ. Rules and
    active intent are taken from the save's `judgement`, not read again.
    """
    governance, rules = open_root.governance, judgement.rules
    kept = health(rules, governance.stores.last_problem())
    return governance.decisive(rules, judgement.selected, kept)
