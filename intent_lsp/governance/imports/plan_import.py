"""Import of a plan into the intents file: which intents it adds, and which are there already.

Specified in requirements section 3.10.

Invariant: nothing is written. `Planner.write_shown` writes what a person was shown, and no more.
Invariant: an intent stays as it is if its specification, id or alias is the specification of a
proposed one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.intents import Intent, IntentId, Intents, next_ids
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.append_intents import add_intents
from intent_lsp.formats.intents.edit import EditRefused, FileEdit, apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.plans.named_paths import TreeNames, globs_of
from intent_lsp.formats.plans.proposed_intent import NamedPath, ProposedIntent
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal, not_governed
from intent_lsp.governance.plan.planning import unwritten
from intent_lsp.governance.root.intents_writer import text_on_disk
from intent_lsp.store.fs.resolve import is_directory, is_file

_OF_SPEC_KIT: Final = ".specify/"
_COMPARED: Final = ("name", "status", "owned_scope", "constraints", "acceptance_criteria")


class Difference(Struct, frozen=True):
    """A key whose value in the intents file (`here`) is not that of the plan (`there`), as texts.

    A value that is empty is "", and the items of a list are joined with commas.
    """

    key: str
    here: str
    there: str


class ImportedBefore(Struct, frozen=True):
    """An intent of the intents file that a plan proposes again, and in what the two differ."""

    intent_id: IntentId
    specification: str
    differences: tuple[Difference, ...]


class PlanProposal(Struct, frozen=True, kw_only=True):
    """The edit of the intents file that a plan amounts to.

    `added` are the new intents with their ids, and `documents` where each stands in the plan, by
    its id, as `path:line` with lines from 1. `known` are the intents that the file has already.
    `refused` maps the specification of a proposed intent that cannot be added to the reason.
    `unused` maps the id of a new intent to paths that the plan names and that are left out of its
    scope. `before` and `after` are the file's bytes without and with the edit. `text` is the text
    before the edit, `changes` are the changes of it.
    """

    added: tuple[Intent, ...]
    documents: Mapping[IntentId, str]
    known: tuple[ImportedBefore, ...]
    refused: Mapping[str, str]
    unused: Mapping[IntentId, tuple[str, ...]]
    text: str
    changes: FileEdit
    before: bytes
    after: bytes


def propose(
    governance: Governance, proposed: Sequence[ProposedIntent]
) -> PlanProposal | CheckoutRefusal:
    """Return the edit that adds the proposed intents which the intents file does not have yet.

    Nothing is written. The edit has no changes if there are no such intents or none can be added.
    Return a refusal while governance is off, or if the intents file is missing or is not UTF-8
    text. Raise OSError if it cannot be read.
    """
    rules = governance.rules.current()
    if not rules.governed:
        return not_governed(rules)
    found = text_on_disk(governance.root)
    if isinstance(found, EditRefused):
        return unwritten("No intent was added", found.reason)
    data, text = found
    # What is edited is compared, and not what the rules were read from a moment ago.
    intents = read_intents(text.text).intents
    here = _by_names(intents)
    made = _made(governance, proposed)
    new = [each for each in made if each.intent.specification not in here]
    ids = next_ids(intents, len(new))
    added = [replace(each.intent, id=IntentId(name)) for each, name in zip(new, ids, strict=True)]
    edit = add_intents(text.text, added, timestamp(governance.stores.clock()))
    return PlanProposal(
        added=tuple(it for it in added if it.id not in edit.refused),
        documents={it.id: each.place for it, each in zip(added, new, strict=True)},
        known=tuple(_known(here, it.intent) for it in made if it.intent.specification in here),
        refused={it.specification: edit.refused[it.id] for it in added if it.id in edit.refused},
        unused={it.id: each.unused for it, each in zip(added, new, strict=True) if each.unused},
        text=text.text,
        changes=edit.changes,
        before=data,
        after=text.encode(apply_changes(text.text, edit.changes)),
    )


def _by_names(intents: Intents) -> Mapping[str, Intent]:
    """Map the specifications, ids and aliases of intents to the intents.

    If a name is that of several, a specification counts before an id, and an id before an alias.
    """
    of_plans = {it.specification: it for it in reversed(intents.items) if it.specification}
    return {**intents.by_id, **of_plans}


class _Made(Struct, frozen=True):
    """A proposed intent as an intent without an id, and where it stands in its plan.

    `unused` are the paths that the plan names for it and that are left out of its scope.
    """

    intent: Intent
    place: str
    unused: tuple[str, ...]


def _made(governance: Governance, proposed: Sequence[ProposedIntent]) -> Sequence[_Made]:
    """Return the intents to add for the proposed ones, one for each specification.

    Of several with the same specification, the first counts: an OpenSpec change may be proposed
    both as it is worked on and as archived.
    """
    tree = _tree_names(governance)
    unique: dict[str, ProposedIntent] = {}
    for each in proposed:
        unique.setdefault(each.specification, each)
    return [_intent(tree, each) for each in unique.values()]


def specifications(governance: Governance) -> frozenset[str]:
    """Return the `specification` of every intent in the intents file, without empty ones."""
    intents = governance.rules.current().file.intents
    return frozenset(intent.specification for intent in intents if intent.specification)


def _tree_names(governance: Governance) -> TreeNames:
    root = governance.root
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path in governance.listing.files():
        named[path.rpartition("/")[2]].append(path)

    def only_file_below(path: str) -> str | None:
        same = named.get(path.rpartition("/")[2], [])
        found = [each for each in same if each.endswith(f"/{path}")]
        return found[0] if len(found) == 1 else None

    return TreeNames(
        lambda path: is_file(root, path), lambda path: is_directory(root, path), only_file_below
    )


def _intent(tree: TreeNames, each: ProposedIntent) -> _Made:
    directory = each.document.rpartition("/")[0]

    def own(path: str) -> bool:
        """Whether a path is a document of the plan itself, so that it is no scope of its work."""
        if not directory or path == each.ticked:
            return False
        if each.directory and path.startswith((f"{each.directory}/", _OF_SPEC_KIT)):
            return True
        return tree.has(f"{directory}/{path}") and not tree.has(path)

    ticked = () if each.ticked is None else (NamedPath(each.ticked, stated=False),)
    scope = globs_of((*each.named, *ticked), tree, own)
    intent = Intent(
        id=IntentId(""),
        name=each.name,
        status=each.status,
        owned_scope=scope.globs,
        constraints=each.constraints,
        acceptance_criteria=each.acceptance_criteria,
        specification=each.specification,
        created_at=each.created_at,
    )
    return _Made(intent, f"{each.document}:{each.line}", scope.left_out)


def _known(intents: Mapping[str, Intent], there: Intent) -> ImportedBefore:
    """Return an intent of the intents file that a plan proposes again, and in what they differ.

    `there` is the intent as the plan proposes it. `intents` maps the specifications, ids and
    aliases of the file's intents to the intents. It must have the specification of `there`.
    """
    here = intents[there.specification]
    differences = (
        Difference(key, _told(getattr(here, key)), _told(getattr(there, key)))
        for key in _COMPARED
        if getattr(here, key) != getattr(there, key)
    )
    return ImportedBefore(here.id, there.specification, tuple(differences))


def _told(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
