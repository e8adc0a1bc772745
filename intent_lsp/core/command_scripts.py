"""Scripts of sed and awk that do nothing but print.

Invariant: what is not understood is not harmless.
"""

from collections.abc import Mapping
from typing import Final

from intent_lsp.core.program_rows import Options, Script

GIVING: Final[Mapping[Script, Options]] = {
    Script.SED: frozenset({"-e", "--expression"}),
    Script.AWK: frozenset({"-e", "--source"}),
}
"""The options that give the script, which else is the first operand."""

FROM_FILES: Final[Mapping[Script, Options]] = {
    Script.SED: frozenset({"-f", "--file"}),
    Script.AWK: frozenset({"-f", "--file", "-E", "--exec"}),
}
"""The options that name a file with the script in it."""

_SED_PLAIN: Final = frozenset("pPdDqQ=nNgGhHxlz{}")
_SED_SEPARATORS: Final = frozenset("; \t\n")
_SED_ADDRESS: Final = frozenset("0123456789,$!+~ \tI")
_SED_FLAGS: Final = frozenset("gpiIM0123456789")
_AWK_WRITING: Final = (">", "|", "system", "@", "fflush", "close")


def only_prints(script: str, language: Script) -> bool:
    """Find out whether a script can neither write a file nor run a program."""
    if language is Script.AWK:
        return not any(sign in script for sign in _AWK_WRITING)
    at = 0
    while at < len(script):
        following = _after_sed_command(script, at)
        if following is None:
            return False
        at = following
    return True


def _after_sed_command(script: str, at: int) -> int | None:
    """Give where the command that begins here ends; None: it is none that only prints."""
    letter = script[at]
    if letter in _SED_SEPARATORS or letter in _SED_ADDRESS or letter in _SED_PLAIN:
        return at + 1
    if letter == "/":
        return _after_part(script, at + 1, "/")
    if letter in "sy" and at + 1 < len(script):
        return _after_substitution(script, at + 1)
    # Inserted text goes on to the end of the line, and a backslash takes the next line in.
    if letter in "aic" and "\n" not in script[at:]:
        return len(script)
    return None


def _after_substitution(script: str, at: int) -> int | None:
    delimiter = script[at]
    middle = _after_part(script, at + 1, delimiter)
    end = None if middle is None else _after_part(script, middle, delimiter)
    if end is None:
        return None
    while end < len(script) and script[end] in _SED_FLAGS:
        end += 1
    return end if end == len(script) or script[end] in _SED_SEPARATORS | {"}"} else None


def _after_part(script: str, at: int, delimiter: str) -> int | None:
    """Give where the part before the next delimiter ends; brackets may hide one."""
    while at < len(script):
        if script[at] == delimiter:
            return at + 1
        # Whether a delimiter inside brackets ends the part depends on the sed.
        if script[at] == "[" and delimiter in script[at : script.find("]", at) + 1]:
            return None
        at += 2 if script[at] == "\\" else 1
    return None
