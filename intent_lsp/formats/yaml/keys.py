"""The keys of a mapping: which known key each one means, however it is written.

Invariant: an unknown key stays in the file. By default it gets a finding only if it resembles a
known key.
"""

import re
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import RelatedSpan
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, YamlNode

_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]")
_SEPARATORS = re.compile(r"[-_ ]")
_NEAR = 0.8


class Field(Struct, frozen=True):
    """One pair of a YAML mapping: the node of the key and the node of its value."""

    key: Scalar
    value: YamlNode


class MappingKeys(Struct, frozen=True):
    """The keys that a mapping may have: `known`, in snake_case. camelCase is accepted too.

    `others` maps alternative names to known keys, preferred names first. An alternative name in
    `quiet` gets no finding if the mapping also has the known key. `meant` maps names that are not
    read, but are often written in the place of a known key, to that key.
    """

    known: tuple[str, ...]
    others: Mapping[str, str] = field(default_factory=dict)
    quiet: frozenset[str] = frozenset()
    meant: Mapping[str, str] = field(default_factory=dict)

    def meaning(self, name: str) -> str | None:
        """Return the known key that a name means, or None for an unknown name."""
        snake = snake_case(name)
        return snake if snake in self.known else self.others.get(snake)

    def rank(self, name: str) -> int:
        """Return the rank of a name that `meaning` knows: 0 for a known key in snake_case.

        Other spellings have higher ranks. If a mapping has several names for one known key, the
        name with the lowest rank is used. Raise ValueError for an unknown name.
        """
        snake = snake_case(name)
        rank = 0 if snake in self.known else 2 * (1 + list(self.others).index(snake))
        return rank if snake == name else rank + 1

    def near(self, name: str) -> str | None:
        """Return the known key that an unknown name resembles, or is often written for, or None."""
        folded = snake_case(name).lower().replace("-", "_").replace(" ", "_")
        if folded in self.meant:
            return self.meant[folded]
        close = get_close_matches(folded, self.known, n=1, cutoff=_NEAR)
        return close[0] if close else None

    def plainly(self, name: str) -> str | None:
        """Return the known key that differs from an unknown name only in case and separators.

        Separators are hyphens, spaces and underscores. Return None if there is no such key.
        """
        letters = _letters(name)
        return next((key for key in self.known if _letters(key) == letters), None)


def _letters(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()


def snake_case(name: str) -> str:
    """Return a camelCase name in snake_case."""
    return _HUMP.sub(lambda found: "_" + found.group().lower(), name)


def fields_of(
    reading: YamlDocument, table: MappingNode, keys: MappingKeys, *, told: bool = False
) -> dict[str, Field]:
    """Return the pairs of a mapping, each by the known key that its key means.

    If several keys mean the same, the pair of the preferred one is returned. Pairs with unknown
    keys, and with keys that are lists, mappings or YAML aliases (`*name`), are left out.

    Findings are added to `reading`: on keys in another spelling (see `_note_form`), on keys left
    out for a preferred one (see `_chosen`), and on unknown keys that resemble a missing known key.
    `told`: every unknown key gets a finding.
    """
    found: dict[str, Field] = {}
    unknown: list[Scalar] = []
    for key, value in table.pairs:
        if isinstance(key, Scalar):
            name = keys.meaning(key.value)
            if name is None:
                unknown.append(key)
            else:
                found[name] = _chosen(reading, keys, found.get(name), Field(key, value))
    plain = {key: keys.plainly(key.value) for key in unknown}
    named = Counter(plain.values())
    for key in unknown:
        near = plain[key] or keys.near(key.value)
        # Two keys that mean the same are no plain case: which of them counts is for a person.
        safe = plain[key] is not None and named[plain[key]] == 1
        _note_unknown(reading, key, None if near in found else near, safe=safe, told=told)
    for name, chosen in found.items():
        _note_form(reading, name, chosen)
    return found


def _chosen(reading: YamlDocument, keys: MappingKeys, known: Field | None, offered: Field) -> Field:
    """Return the better of two pairs whose keys mean the same, or the first of equal keys.

    `known` is the pair chosen so far, or None. The key of the other pair gets a finding, unless it
    is spelled like the chosen one or is among `keys.quiet`.
    """
    if known is None:
        return offered
    kept, dropped = known, offered
    if keys.rank(offered.key.value) < keys.rank(known.key.value):
        kept, dropped = offered, known
    ignored, used = dropped.key.value, kept.key.value
    if snake_case(ignored) not in keys.quiet and ignored != used:
        reading.add(
            FileCode.YAML_DUPLICATE_KEY,
            f"`{ignored}` is ignored, because `{used}` is given too",
            dropped.key,
            related=(RelatedSpan(span=reading.span(kept.key), message="this key is used instead"),),
        )
    return kept


def _note_unknown(
    reading: YamlDocument, key: Scalar, near: str | None, *, safe: bool, told: bool
) -> None:
    """Add a finding on an unknown key if it resembles `near`, a known key that is not there.

    `near` is None if there is no such key; a finding is then added only if `told` is set. `safe`:
    *Fix all* may rename the key to `near`.
    """
    if near is not None:
        message = f"unknown key `{key.value}`: did you mean `{near}`?"
        fix = replace(reading.rename(key, near), safe=safe)
        reading.add(FileCode.UNKNOWN_KEY, message, key, (fix,))
    elif told:
        message = f"unknown key `{key.value}`: it is not read"
        reading.add(FileCode.UNKNOWN_KEY, message, key)


def _note_form(reading: YamlDocument, name: str, chosen: Field) -> None:
    """Add a hint, with a fix, on a key that means `name` but is spelled otherwise.

    A key that means `owned_scope` and has a mapping as its value gets no hint here.
    """
    key = chosen.key
    # Skip `scope: {paths: …}`. Renaming its key is not enough, and
    # formats/intents/entry_values.py has its own fix for it.
    if key.value != name and not (name == "owned_scope" and isinstance(chosen.value, MappingNode)):
        message = f"`{key.value}` is read as `{name}`"
        reading.other_form(message, key, reading.rename(key, name))
