"""One proposal of a completion: what a person reads, and the text that is put at the cursor."""

from enum import Enum

from msgspec import Struct


class ProposalKind(Enum):
    """What a proposal is, so that an editor can show an icon for it."""

    KEY = "key"
    WORD = "word"
    DIRECTORY = "directory"
    FILE = "file"
    GLOB = "glob"
    SKELETON = "skeleton"
    NAME = "name"
    DATE = "date"


class ProposedEdit(Struct, frozen=True, kw_only=True):
    """What is put at a cursor, on its line.

    It replaces the text from the column `start` to the cursor. An editor that also replaces the
    rest of the word replaces up to the column `end`. With `over`, every editor replaces up to
    `end`, since the new text repeats what stands there. `text` is for editors without snippets,
    always one line. `snippet` is in the snippet syntax of LSP; its further lines are indented
    relative to the first character of the cursor's line that is not white space. `matched` is what
    the text that was typed from `start` on is compared with.
    """

    start: int
    end: int
    text: str
    snippet: str
    matched: str
    over: bool = False


class TextName(Struct, frozen=True):
    """Names a text that explains a key or, if `word` is not "", explains `word` as the key's value.

    `table` is the name of the key's `TableShape`.
    """

    table: str
    key: str
    word: str = ""


class Proposal(Struct, frozen=True, kw_only=True):
    """One proposal. `label` is shown; proposals are listed in the order of `rank`.

    `about` names the text that describes it, or is None.
    """

    label: str
    kind: ProposalKind
    written: ProposedEdit
    rank: str
    about: TextName | None = None
