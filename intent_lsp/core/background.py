"""Commands that leave something running when they have ended."""

import re
from typing import Final

_GOES_ON: Final = re.compile(r"(?<![&<>|])&(?![&>])|\b(?:nohup|setsid|disown|coproc)\b")
# Not in `2>&1`, `&>`, `|&` and `&&`. In a quoted text it is no sign; a second look does no harm.


def goes_on(command: str) -> bool:
    """Whether a shell command may leave something running: it is looked at once more later."""
    return _GOES_ON.search(command) is not None
