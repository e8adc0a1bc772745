"""The limits of a pattern and of the patterns of a file (scope section 3).

Invariant: a pattern over a limit is refused as a whole. No part of it is used.
"""

MAX_PATTERN = 512
"""The most characters in a pattern, as written."""
MAX_ALTERNATIVES = 1_000
"""The most alternatives that the braces of a pattern may expand to."""
MAX_EXPANDED = 65_536
"""The most characters in all alternatives of a pattern together."""
MAX_GLOBSTARS = 16
"""The most `**` segments in one alternative."""
MAX_EXTGLOBS = 8
"""The most extglobs in one segment."""
MAX_EXTGLOB_DEPTH = 3
"""The most levels of extglobs inside one another."""
MAX_POSIX_CLASSES = 8
"""The most POSIX classes, such as `[:alpha:]`, in one segment."""
MAX_CLASSES = 64
"""The most different bracket expressions in a pattern. Each is tested on every path character."""
MAX_AUTOMATA = 32
"""The most different segments of a pattern that need an automaton, after brace expansion."""
MAX_AUTOMATON = 160
"""The most parts (characters, wildcards, classes, extglobs) of a segment with an automaton."""
MAX_STATE_WORK = 8_000
"""The most steps to find the states of a segment with `!(…)`, which can multiply the states."""
MAX_BRACE_WORK = 60_000
"""The most characters read while braces are expanded. Nesting can multiply them."""

FILE_ROWS = 20_000
"""The most alternatives of all patterns in one intents file."""
FILE_AUTOMATA = 500
"""The most segments that need an automaton in one intents file."""


class PatternLimitError(ValueError):
    """A pattern exceeds a limit. The error's text is a clause that says which one."""
