"""The text about one key of a file: its title, its description and the words that it takes."""

from collections.abc import Mapping

from msgspec import Struct, field


class KeyText(Struct, frozen=True):
    """What a key means, for people who read or write the file.

    `title` names the key in a few words, without a full stop. `description` is whole sentences on
    one line; code in them stands in backticks. `words` maps each value in its normal spelling to a
    sentence about it, if the key takes one of a few words; else it is empty.
    """

    title: str
    description: str
    words: Mapping[str, str] = field(default_factory=dict)
