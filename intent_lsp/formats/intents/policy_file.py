"""Reader of the team's policy file: the policy of `constraints.sidecar.yaml`, and findings on it.

Invariant: a value that cannot be read gets a finding. The values of all other keys apply.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import fields, replace

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding
from intent_lsp.core.paths import parse_relative
from intent_lsp.core.policy import DenyRule, TeamPolicy
from intent_lsp.formats.intents.entry_values import note_glob, prose_of
from intent_lsp.formats.intents.fixes.policy_values import number_fixes, rule_fixes
from intent_lsp.formats.intents.intents_file import glob_findings
from intent_lsp.formats.yaml.document import (
    YamlDocument,
    listed,
    problem_findings,
    text_of,
    texts_of,
)
from intent_lsp.formats.yaml.globs.unquoted_globs import POLICY_GLOBS, compose_with_globs
from intent_lsp.formats.yaml.keys import MappingKeys, fields_of, snake_case
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode

ROOT_KEY = "sidecar"
MAX_VERSION = 1_000_000
"""The highest number of a policy."""

MAX_WAIT_SECONDS = 86_400
"""The longest time that a person may be given to answer."""
_ROOT_KEYS = MappingKeys(known=(ROOT_KEY,))
_DENY_KEYS = MappingKeys(
    known=("path_glob", "reason"),
    meant={
        **dict.fromkeys(("path", "paths", "glob", "globs", "pattern", "file"), "path_glob"),
        **dict.fromkeys(("message", "because", "why"), "reason"),
    },
)
YES = ("true", "yes", "on")
"""The words for true, in lower case. Letter case does not matter in the file."""

NO = ("false", "no", "off")
"""The words for false, in lower case, too."""

_WAIT = range(1, MAX_WAIT_SECONDS + 1)
_PRIVACY = ("authors", "session_ids", "urls")
"""The fields of TeamPolicy whose keys stand below `privacy`."""

_Values: TypeAlias = dict[str, Any]
"""Values that the file sets, by fields of TeamPolicy."""

_Reader: TypeAlias = Callable[[YamlNode], object]
"""Returns the value of one key, or None if it cannot be read."""


class PolicyFile(Struct, frozen=True, kw_only=True):
    """The content of the policy file: the policy, and the findings in order of position.

    Positions are in the text without its byte order mark. If `parsed` is False, the text could not
    be read and `policy` holds the defaults.
    """

    policy: TeamPolicy
    findings: tuple[Finding, ...]
    parsed: bool


def read_policy(text: str) -> PolicyFile:
    """Parse the text of a policy file, given without its byte order mark. Never raises."""
    composed = compose_with_globs(text, POLICY_GLOBS)
    if isinstance(composed, YamlProblem):
        findings = problem_findings(text, composed)
        return PolicyFile(policy=TeamPolicy(), findings=findings, parsed=False)
    reading = YamlDocument(text)
    reading.take_composed(composed)
    values = _Sidecar(reading).values(composed.root) if composed.root else {}
    reading.findings.sort(key=lambda finding: (finding.span, finding.code))
    policy = replace(TeamPolicy(), **values)
    return PolicyFile(policy=policy, findings=tuple(reading.findings), parsed=True)


class _Sidecar:
    """Reads the values of one policy file. A value that cannot be read gets a finding."""

    def __init__(self, reading: YamlDocument) -> None:
        self._reading = reading

    def values(self, root: YamlNode) -> _Values:
        """Return the policy fields that the file sets.

        They are read below the key `sidecar`, or at the root of a file without that key. A root
        that has a misspelled `sidecar` and no key of a policy sets none.
        """
        table = self._table(root)
        if table is None:
            return {}
        readers = self._readers()
        if _has_root_key(table, readers):
            found = fields_of(self._reading, table, _ROOT_KEYS, told=True).get(ROOT_KEY)
            table = None if found is None else self._table(found.value)
        values = self._read(table, readers) if table else {}
        lessons: _Values = values.pop("lessons", {})
        privacy: _Values = values.pop("privacy", {})
        return values | {f"lessons_{name}": path for name, path in lessons.items()} | privacy

    def _readers(self) -> dict[str, _Reader]:
        """Return the function that reads the value of each key of the policy from its node.

        The type of a field of TeamPolicy decides whether its key is read as a word or a truth
        value.
        """
        typed: dict[str, _Reader] = {}
        for field in fields(TeamPolicy):
            if field.type is bool:
                typed[field.name] = self._flag
            elif isinstance(field.type, type) and issubclass(field.type, StrEnum):
                typed[field.name] = partial(self._word, field.name, field.type)
        privacy = {name: typed.pop(name) for name in _PRIVACY}
        return typed | {
            "version": partial(self._number, "version", range(MAX_VERSION + 1)),
            "architectural_constraints": partial(prose_of, self._reading),
            "blocked_tools": self._texts,
            "deny_mutations": self._deny_mutations,
            "hitl_by": self._channels,
            "hitl_timeout_seconds": partial(self._number, "hitl_timeout_seconds", _WAIT),
            "spec_iteration_globs": self._globs,
            "mutating_tools": self._texts,
            "read_only_tools": self._texts,
            "generated": self._globs,
            "lessons": partial(
                self._within, {"violations": self._file, "verification": self._file}
            ),
            "privacy": partial(self._within, privacy),
        }

    def _read(self, table: MappingNode, readers: dict[str, _Reader]) -> _Values:
        values: _Values = {}
        keys = MappingKeys(known=tuple(readers))
        for name, found in fields_of(self._reading, table, keys, told=True).items():
            if not found.value.null:
                values[name] = readers[name](found.value)
        return {name: value for name, value in values.items() if value is not None}

    def _table(self, node: YamlNode) -> MappingNode | None:
        content = node.content
        if isinstance(content, MappingNode):
            return content
        if not node.null:
            self._reading.wrong_type(node, "a mapping")
        return None

    def _bad(self, node: YamlNode, message: str) -> None:
        self._reading.add(FileCode.BAD_VALUE, message, node)

    def _within(self, readers: dict[str, _Reader], node: YamlNode) -> _Values | None:
        table = self._table(node)
        return self._read(table, readers) if table else None

    def _number(self, name: str, allowed: range, node: YamlNode) -> int | None:
        content = node.content
        low, high = allowed[0], allowed[-1]
        if not isinstance(content, Scalar) or not _is_number(content):
            message = f"`{name}` must be a whole number, in digits and without quotes"
            fixes = number_fixes(self._reading, node)
            self._reading.add(FileCode.WRONG_TYPE, message, node, fixes)
        elif len(content.value) > len(str(high)) or int(content.value) not in allowed:
            self._bad(node, f"`{name}` must be from {low} to {high}")
        else:
            return int(content.value)
        return None

    def _flag(self, node: YamlNode) -> bool | None:
        content = node.content
        word = content.value.lower() if isinstance(content, Scalar) else ""
        if word not in (*YES, *NO):
            self._reading.add(FileCode.WRONG_TYPE, "expected true or false", node)
            return None
        return word in YES

    def _word(self, name: str, words: type[StrEnum], node: YamlNode) -> StrEnum | None:
        text = text_of(self._reading, node)
        if text is None:
            # Only an item of a list can be null here: null for a key is passed over.
            if node.null:
                self._reading.wrong_type(node, "one value")
            return None
        folded = text.strip().lower().replace("-", "_")
        # Compare the source text, since YAML 1.1 reads some of these words as booleans.
        if folded in list(words):
            return words(folded)
        close = get_close_matches(folded, [word.value for word in words], n=1)
        fixes = [self._reading.respell(node, word, f"Change to `{word}`") for word in close]
        message = f"`{name}` must be one of {', '.join(words)}"
        self._reading.add(FileCode.BAD_VALUE, message, node, fixes)
        return None

    def _channels(self, node: YamlNode) -> tuple[ApprovalChannel, ...] | None:
        """Return the values of `hitl_by`, each once.

        Add a finding and return None if it is not a list, a value is unknown or empty, or `editor`
        is missing.
        """
        listing = self._list(node)
        if listing is None:
            return None
        found = [self._word("hitl_by", ApprovalChannel, item) for item in listing.items]
        channels = tuple(dict.fromkeys(each for each in found if isinstance(each, ApprovalChannel)))
        if None in found:
            return None
        if ApprovalChannel.EDITOR not in channels:
            self._bad(node, "`hitl_by` must have `editor`: a person can always answer there")
            return None
        return channels

    def _texts(self, node: YamlNode) -> tuple[str, ...]:
        return tuple(text for _, text in texts_of(self._reading, node))

    def _list(self, node: YamlNode) -> SequenceNode | None:
        content = node.content
        if isinstance(content, SequenceNode):
            return content
        self._reading.wrong_type(node, "a list", listed(self._reading, node))
        return None

    def _globs(self, node: YamlNode) -> tuple[str, ...] | None:
        if self._list(node) is None:
            return None
        globs = texts_of(self._reading, node)
        for item, glob in globs:
            note_glob(self._reading, item, glob, glob_findings)
        return tuple(glob for _, glob in globs)

    def _deny_mutations(self, node: YamlNode) -> tuple[DenyRule, ...] | None:
        listing = self._list(node)
        if listing is None:
            return None
        rules = (self._deny_rule(item) for item in listing.items)
        return tuple(rule for rule in rules if rule is not None)

    def _deny_rule(self, node: YamlNode) -> DenyRule | None:
        content = node.content
        if not isinstance(content, MappingNode):
            fixes = rule_fixes(self._reading, node)
            self._reading.wrong_type(node, "a mapping with `path_glob` and `reason`", fixes)
            return None
        found = fields_of(self._reading, content, _DENY_KEYS, told=True)
        at = found["path_glob"].value if "path_glob" in found else None
        glob = text_of(self._reading, at) if at else None
        reason = text_of(self._reading, found["reason"].value) if "reason" in found else None
        if at is None or glob is None:
            if at is None or isinstance(at.content, Scalar):
                self._bad(node, "this rule has no `path_glob`, so it denies nothing")
            return None
        note_glob(self._reading, at, glob, glob_findings)
        return DenyRule(glob, reason or "")

    def _file(self, node: YamlNode) -> str | None:
        text = text_of(self._reading, node)
        path = None if text is None else parse_relative(text)
        if text is not None and path is None:
            self._bad(node, "expected the path of a file below the root, such as `AGENTS.md`")
        return path


def _has_root_key(table: MappingNode, readers: Mapping[str, _Reader]) -> bool:
    """Return whether the policy stands below the key `sidecar`, not at the root of the file.

    That is so if the root has the key `sidecar`. It is also so if a key of the root resembles
    `sidecar`, and no key of the root is a key of the policy.
    """
    names = [key.value for key, _ in table.pairs if isinstance(key, Scalar)]
    if ROOT_KEY in names or any(snake_case(name) in readers for name in names):
        return ROOT_KEY in names
    return any(_ROOT_KEYS.plainly(name) or _ROOT_KEYS.near(name) for name in names)


def _is_number(scalar: Scalar) -> bool:
    digits = scalar.value.removeprefix("-")
    return not scalar.style and digits.isascii() and digits.isdigit()
