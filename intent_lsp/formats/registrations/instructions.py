"""The instructions for agents, and the block between markers that holds them in a Markdown file."""

import re
from typing import Final

from intent_lsp.formats.registrations.block_edit import with_block, with_block_at, without_block
from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import EditedText, State
from intent_lsp.formats.text_positions import TextPositions

BEGIN: Final = "<!-- intent-lsp:begin -->"
END: Final = "<!-- intent-lsp:end -->"

INSTRUCTIONS: Final = """\
## Intents

intent-lsp governs this repository: each edit has to serve an intent, and each edit is recorded.

1. Select an intent before the first edit of every turn. Call `select_active_intent` of the MCP
   server `intent-lsp`, or run `intent-lsp intents select INT-001 --session S` with the session
   that you were given. `list_intents`, or `intent-lsp intents list`, shows the open intents.
2. Edit only the files that the intent owns. Selecting it shows its files, its constraints and
   when it is done.
3. Read a file before you write it. If a write is refused because the file has changed, read the
   file again and make the edit anew.
4. If the work needs another file, ask for it: call `request_scope_expansion` with the globs and
   your reason. A person decides. Do not look for another way to write the file.
5. A refusal names its reason and the next step. Follow it, and do not repeat the same call.
6. Leave `.orchestration/` and the settings of agents' hooks and MCP servers to people.
"""
"""What an agent has to know, as Markdown."""

_BLOCK = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END) + r"[ \t]*(?:\r?\n|\Z)", re.DOTALL)


def instructions_state(text: str | None) -> State | UnreadableText:
    """Return how far a Markdown text holds the instructions. `text` is None for no file.

    MISSING: it has no markers. DIFFERS: there are other lines between the markers. Return
    UnreadableText if the markers are not one pair in order, or if text follows the second on its
    line.
    """
    found = _place(text or "")
    if found is None or isinstance(found, UnreadableText):
        return found or State.MISSING
    lines = (text or "")[found[0] : found[1]].splitlines()
    return State.REGISTERED if lines == _lines() else State.DIFFERS


def with_instructions(text: str | None) -> EditedText:
    """Return a text with the instructions: at its end, or in the place of older ones.

    A text that is None becomes the instructions alone. Return UnreadableText if the markers are not
    one pair in order, or if text follows the second on its line.
    """
    found = _place(text or "")
    if isinstance(found, UnreadableText):
        return found
    if found is None:
        return with_block(text, _lines())
    if instructions_state(text) is State.REGISTERED:
        return text
    return with_block_at(text or "", *found, _lines())


def without_instructions(text: str | None) -> EditedText:
    """Return a text without the block of instructions, or None if the text held nothing else.

    A text without a block is returned unchanged. Return UnreadableText if the markers are not one
    pair in order, or if text follows the second on its line.
    """
    found = _place(text or "")
    if found is None or isinstance(found, UnreadableText):
        return found or text
    return without_block(text or "", *found)


def _lines() -> list[str]:
    return [BEGIN, *INSTRUCTIONS.splitlines(), END]


def _place(text: str) -> tuple[int, int] | UnreadableText | None:
    """Return the (start, end) offsets of the block of instructions, or None if there is no marker.

    Return UnreadableText if the markers are not one pair in order, or if text follows the second on
    its line.
    """
    marks = [found.start() for found in re.finditer(f"{BEGIN}|{END}", text)]
    if not marks:
        return None
    found = _BLOCK.search(text)
    if found is None or len(marks) != len((BEGIN, END)):
        line = TextPositions(text).position(marks[-1]).line + 1
        problem = (
            f"{BEGIN} and {END} have to stand in the file once each, in this order,"
            " with nothing behind the second on its line"
        )
        return UnreadableText(problem=problem, line=line, column=1)
    return found.start(), found.end()
