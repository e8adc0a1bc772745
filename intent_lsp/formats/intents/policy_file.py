"""Reader of the team's policy file: the policy of `constraints.sidecar.yaml`, and findings on it.

Invariant: a value that cannot be read gets a finding and its default. All others apply.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding
from intent_lsp.core.paths import parse_relative
from intent_lsp.core.policy import (
    AuthorNames,
    ContractRule,
    DenyRule,
    Enforcement,
    LedgerForm,
    PeopleAsked,
    RecordSaves,
    SessionIds,
    TeamPolicy,
    Urls,
)
from intent_lsp.formats.intents.intents_file import glob_findings
from intent_lsp.formats.intents.prose import prose_of
from intent_lsp.formats.intents.scope import note_glob
from intent_lsp.formats.yaml.document import YamlDocument, text_of, texts_of
from intent_lsp.formats.yaml.keys import MappingKeys, fields_of
from intent_lsp.formats.yaml.limits import YamlProblem, refused
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, content_of
from intent_lsp.formats.yaml.unquoted_globs import POLICY_GLOBS, compose_with_globs, linked_anchors

ROOT_KEY = "sidecar"
MAX_WAIT_SECONDS = 86_400
"""The longest time that a person may be given to answer."""
_ROOT_KEYS = MappingKeys(known=(ROOT_KEY,))
_DENY_KEYS = MappingKeys(known=("path_glob", "reason"))
_YES = frozenset({"true", "yes", "on"})
_NO = frozenset({"false", "no", "off"})
_E = TypeVar("_E", bound=StrEnum)
# The fields of TeamPolicy that one key of the file sets. Empty if its value cannot be read.
_Values: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """The content of the policy file. Positions are in the text without its byte order mark.

    If `parsed` is False, the text could not be read and `policy` holds the defaults.
    """

    policy: TeamPolicy
    findings: tuple[Finding, ...]
    parsed: bool


def read_policy(text: str) -> PolicyFile:
    """Read a text of the policy file, without its byte order mark. Never raises."""
    composed = refused(text) or compose_with_globs(text, POLICY_GLOBS, linked_anchors(text))
    if isinstance(composed, YamlProblem):
        # Index lines only up to the problem: a text over the limit may have millions of them.
        reading = YamlDocument(text[: composed.end])
        reading.take_problem(composed)
        return PolicyFile(policy=TeamPolicy(), findings=tuple(reading.findings), parsed=False)
    reading = YamlDocument(text)
    reading.take_composed(composed)
    values = _Sidecar(reading).values(composed.root) if composed.root else {}
    reading.findings.sort(key=lambda finding: (finding.span, finding.code))
    policy = replace(TeamPolicy(), **values)
    return PolicyFile(policy=policy, findings=tuple(reading.findings), parsed=True)


class _Sidecar:
    """Reads one policy. Each reader returns the fields of TeamPolicy that its key sets."""

    def __init__(self, reading: YamlDocument) -> None:
        self._reading = reading

    def values(self, root: YamlNode) -> _Values:
        """Return the fields that the file sets. The key `sidecar` around them is optional."""
        table = self._table(root)
        if table is None:
            return {}
        if any(isinstance(key, Scalar) and key.value == ROOT_KEY for key, _ in table.pairs):
            found = fields_of(self._reading, table, _ROOT_KEYS, told=True)
            table = self._table(found[ROOT_KEY].value)
        return self._read(table, self._readers()) if table else {}

    def _readers(self) -> dict[str, Callable[[YamlNode], _Values]]:
        """Return the reader of each key."""
        return {
            "version": self._number("version", 0, 1_000_000),
            "architectural_constraints": self._prose("architectural_constraints"),
            "blocked_tools": self._texts("blocked_tools"),
            "deny_mutations": self._deny_mutations,
            "enforcement": self._word("enforcement", Enforcement),
            "hitl": self._word("hitl", PeopleAsked),
            "hitl_timeout_seconds": self._number("hitl_timeout_seconds", 1, MAX_WAIT_SECONDS),
            "fail_open": self._flag("fail_open"),
            "contract": self._word("contract", ContractRule),
            "require_checkout": self._flag("require_checkout"),
            "require_read": self._flag("require_read"),
            "complete_on_attempt": self._flag("complete_on_attempt"),
            "spec_iteration_globs": self._globs("spec_iteration_globs"),
            "mutating_tools": self._texts("mutating_tools"),
            "read_only_tools": self._texts("read_only_tools"),
            "history_in_yaml": self._flag("history_in_yaml"),
            "record_saves": self._word("record_saves", RecordSaves),
            "generated": self._globs("generated"),
            "ledger": self._word("ledger", LedgerForm),
            "lessons": self._lessons,
            "privacy": self._privacy,
        }

    def _read(
        self, table: MappingNode, readers: dict[str, Callable[[YamlNode], _Values]]
    ) -> _Values:
        values: _Values = {}
        for name, found in fields_of(
            self._reading, table, MappingKeys(known=tuple(readers)), told=True
        ).items():
            content = content_of(found.value)
            if not (isinstance(content, Scalar) and content.null):
                values |= readers[name](found.value)
        return values

    def _table(self, node: YamlNode) -> MappingNode | None:
        content = content_of(node)
        if isinstance(content, MappingNode):
            return content
        if not (isinstance(content, Scalar) and content.null):
            self._reading.wrong_type(node, "a mapping")
        return None

    def _bad(self, node: YamlNode, message: str) -> _Values:
        self._reading.add(FileCode.BAD_VALUE, message, node)
        return {}

    def _number(self, name: str, low: int, high: int) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            content = content_of(node)
            if not isinstance(content, Scalar) or not _is_number(content):
                self._reading.wrong_type(node, "a whole number")
                return {}
            if len(content.value) > len(str(high)) or not low <= int(content.value) <= high:
                return self._bad(node, f"`{name}` must be from {low} to {high}")
            return {name: int(content.value)}

        return read

    def _flag(self, name: str) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            content = content_of(node)
            word = content.value.lower() if isinstance(content, Scalar) else ""
            if word not in _YES | _NO:
                self._reading.wrong_type(node, "true or false")
                return {}
            return {name: word in _YES}

        return read

    def _word(self, name: str, words: type[_E]) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            text = text_of(self._reading, node)
            if text is None:
                return {}
            folded = text.strip().lower().replace("-", "_")
            # Compare the source text, since YAML 1.1 reads some of these words as booleans.
            if folded in list(words):
                return {name: words(folded)}
            close = get_close_matches(folded, [word.value for word in words], n=1)
            fixes = [self._reading.respell(node, word, f"Change to `{word}`") for word in close]
            message = f"`{name}` must be one of {', '.join(words)}"
            self._reading.add(FileCode.BAD_VALUE, message, node, fixes)
            return {}

        return read

    def _texts(self, name: str) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            return {name: tuple(text for _, text in texts_of(self._reading, node))}

        return read

    def _prose(self, name: str) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            return {name: prose_of(self._reading, node)}

        return read

    def _globs(self, name: str) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            if not isinstance(content_of(node), SequenceNode):
                self._reading.wrong_type(node, "a list")
                return {}
            globs = texts_of(self._reading, node)
            for item, glob in globs:
                note_glob(self._reading, item, glob, glob_findings)
            return {name: tuple(glob for _, glob in globs)}

        return read

    def _deny_mutations(self, node: YamlNode) -> _Values:
        content = content_of(node)
        if not isinstance(content, SequenceNode):
            self._reading.wrong_type(node, "a list")
            return {}
        rules = (self._deny_rule(item) for item in content.items)
        return {"deny_mutations": tuple(rule for rule in rules if rule is not None)}

    def _deny_rule(self, node: YamlNode) -> DenyRule | None:
        content = content_of(node)
        if not isinstance(content, MappingNode):
            self._reading.wrong_type(node, "a mapping with `path_glob` and `reason`")
            return None
        fields = fields_of(self._reading, content, _DENY_KEYS, told=True)
        glob = text_of(self._reading, fields["path_glob"].value) if "path_glob" in fields else None
        reason = text_of(self._reading, fields["reason"].value) if "reason" in fields else None
        if glob is None:
            if "path_glob" not in fields:
                self._bad(node, "this rule has no `path_glob`, so it denies nothing")
            return None
        note_glob(self._reading, fields["path_glob"].value, glob, glob_findings)
        return DenyRule(glob, reason or "")

    def _lessons(self, node: YamlNode) -> _Values:
        table = self._table(node)
        readers = {
            "violations": self._file("lessons_violations"),
            "verification": self._file("lessons_verification"),
        }
        return self._read(table, readers) if table else {}

    def _file(self, name: str) -> Callable[[YamlNode], _Values]:
        def read(node: YamlNode) -> _Values:
            text = text_of(self._reading, node)
            if text is None:
                return {}
            path = parse_relative(text)
            return (
                {name: path}
                if path
                else self._bad(node, "expected the path of a file below the root")
            )

        return read

    def _privacy(self, node: YamlNode) -> _Values:
        table = self._table(node)
        readers = {
            "authors": self._word("authors", AuthorNames),
            "session_ids": self._word("session_ids", SessionIds),
            "urls": self._word("urls", Urls),
        }
        return self._read(table, readers) if table else {}


def _is_number(scalar: Scalar) -> bool:
    digits = scalar.value.removeprefix("-")
    return not scalar.style and digits.isascii() and digits.isdigit()
