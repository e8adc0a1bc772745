"""The text about one key of a file: its title, its description and the words that it takes.

Where a YAML file names its JSON Schema for yaml-language-server, that server explains keys and
words, and ours leaves them to it.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

_KEY: Final = re.compile(r"^(\w+): (.+)\n", re.MULTILINE)
_WORD: Final = re.compile(r"^ {4}- (\w+): ", re.MULTILINE)
_SCHEMA: Final = re.compile(
    r"(?:\A\ufeff?|[\r\n])[ \t]*#[ \t]*yaml-language-server[ \t]*:.*\$schema=\S"
)


class KeyText(Struct, frozen=True):
    """What a key means, for people who read or write the file.

    `title` names the key in a few words, without a full stop. `description` is whole sentences on
    one line; code in them stands in backticks. `words` maps each value in its normal spelling to a
    sentence about it, if the key takes one of a few words; else it is empty.
    """

    title: str
    description: str
    words: Mapping[str, str] = field(default_factory=dict)


def key_texts(table: str) -> Mapping[str, KeyText]:
    """Return the texts about the keys of a table, in its order.

    A line `key: Title` begins a text. Its description is indented by four spaces below, and so is
    `- word: ` with the sentence about each word that the key takes. Any white space in them becomes
    one blank.
    """
    _, *parts = _KEY.split(table)
    return {
        key: _key_text(title, body)
        for key, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


def names_schema(text: str) -> bool:
    """Return whether a line of a text is a comment that names a schema for yaml-language-server."""
    return "yaml-language-server" in text and _SCHEMA.search(text) is not None


def _key_text(title: str, body: str) -> KeyText:
    description, *words = (" ".join(each.split()) for each in _WORD.split(body))
    return KeyText(title, description, dict(zip(words[::2], words[1::2], strict=True)))
