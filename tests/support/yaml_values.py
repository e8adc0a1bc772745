"""A YAML text as the value that other programs read: by YAML 1.1, and by YAML 1.2.

Invariant: a value is one of JSON, so that a date without quotes is its text.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml


class Yaml11(yaml.SafeLoader):
    """Reads `no` as false and `010` as 8, as PyYAML does; a date as its text."""


class Yaml12(yaml.SafeLoader):
    """Reads the words of the core schema alone: `no` is a text, and `010` is 10."""


_CORE: Mapping[str, tuple[str, str]] = {
    "null": (r"~|null|Null|NULL|", "~nN\0"),
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?[0-9]+", "-+0123456789"),
    "float": (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
}
Yaml11.yaml_implicit_resolvers = {
    first: [(tag, found) for tag, found in rows if not tag.endswith(":timestamp")]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Yaml12.yaml_implicit_resolvers = {}
for _kind, (_pattern, _firsts) in _CORE.items():
    _found = re.compile(f"(?:{_pattern})$")
    Yaml12.add_implicit_resolver(
        f"tag:yaml.org,2002:{_kind}", _found, [each.strip("\0") for each in _firsts]
    )
Yaml12.add_constructor(
    "tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node))
)

LOADERS = (Yaml11, Yaml12)


def values_of(text: str) -> list[Any]:
    """Return what each of the two makes of a text."""
    return [yaml.load(text, loader) for loader in LOADERS]  # noqa: S506 -- safe loaders
