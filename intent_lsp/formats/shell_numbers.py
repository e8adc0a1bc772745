"""Parts of a shell text that can be nothing but numbers.

Invariant: what might be anything else is not held for a number.
"""

import re
from typing import Final

from intent_lsp.formats.shell_syntax import spelling
from intent_lsp.formats.syntax_node import Node

_NUMBERS: Final = re.compile(
    r"(?P<quote>[\"']?)[-+]?[0-9]*(?P=quote)"  # also nothing at all
    r"|\$[?#$!]|\$\{#\w+(?:\[[@*]\])?\}"
    r"|\{[0-9]+\.\.[0-9]+(?:\.\.[0-9]+)?\}"
    r"|\(\s*(?:[0-9]+\s*)*\)"
)
_SILENT: Final = frozenset({"true", ":", "rm", "mkdir", "touch"})
_COUNTING: Final = re.compile(r"-[lwcm]+")
_WHOLE: Final = re.compile(r"-?[0-9]+")


def holds_a_number(node: Node) -> bool:
    """Find out whether a value can be nothing but a number, or several."""
    if node.type == "arithmetic_expansion":
        return True
    if node.type == "command_substitution":
        return prints_a_number(node)
    return _NUMBERS.fullmatch(spelling(node)) is not None


def prints_a_number(substitution: Node) -> bool:
    """Find out whether what a substitution prints can be nothing but a number."""
    parts = substitution.named_children
    if len(parts) != 1:
        return False
    last = parts[0]
    if last.type == "pipeline":
        last = last.named_children[-1]
    if last.type == "redirected_statement":
        last = last.named_children[0]
    return last.type == "command" and _counts([spelling(child) for child in last.children])


def _counts(words: list[str]) -> bool:
    match words:
        case ["nproc"] | ["date", "+%s"]:
            return True
        case ["wc", *options]:
            return bool(options) and all(_COUNTING.fullmatch(option) for option in options)
        case ["seq", *ends]:
            return all(_WHOLE.fullmatch(end) for end in ends)
        case _:
            return words[0] in _SILENT and not any(word.startswith("-") for word in words)
