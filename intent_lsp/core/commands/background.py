"""Detection of shell commands that may leave a process running after they end."""

import re
from typing import Final

_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_SHELL_TEXT: Final = re.compile(r"\b(?:sh|bash|dash|zsh|ksh)\s+(?:\S+\s+)*?-\w*c\b")
# A single `&` starts a background job, but not in `2>&1`, `&>`, `|&` and `&&`.
_BEHIND: Final = re.compile(r"(?<![&<>|\\])&(?![&>])")
_LETS_GO: Final = re.compile(
    r"(?:^|[;&|({\n]|\b(?:sudo|time|exec|then|do|else)\s)\s*(?:nohup|setsid|disown|coproc)\b"
)


def goes_on(command: str) -> bool:
    """Whether a shell command may leave a process running that still changes files after it ends.

    Quoted text is ignored, unless the command gives text to another shell with `-c`.
    """
    text = command if _SHELL_TEXT.search(command) else _QUOTED.sub("''", command)
    return _BEHIND.search(text) is not None or _LETS_GO.search(text) is not None
