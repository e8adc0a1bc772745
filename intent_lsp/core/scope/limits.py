"""The limits of a pattern and of the patterns of a file (scope section 3).

Invariant: a pattern over a limit is refused as a whole. It is never read in part.
"""

MAX_PATTERN = 512
"""Characters in a pattern as written."""
MAX_ALTERNATIVES = 1_000
"""Alternatives that the braces of one pattern expand to."""
MAX_EXPANDED = 65_536
"""Characters in all alternatives of one pattern together."""
MAX_GLOBSTARS = 16
"""`**` segments in one alternative."""
MAX_EXTGLOBS = 8
"""Extglobs in one segment."""
MAX_EXTGLOB_DEPTH = 3
"""Levels of extglobs inside one another."""
MAX_POSIX_CLASSES = 8
"""POSIX classes, such as `[:alpha:]`, in one segment."""
MAX_CLASSES = 64
"""Different bracket expressions in one pattern. Each is tested on every character of a path."""
MAX_AUTOMATA = 32
"""Segments of one pattern that need an automaton, after brace expansion."""
MAX_AUTOMATON = 160
"""Characters, wildcards and classes in a segment that needs an automaton."""
MAX_STATE_WORK = 8_000
"""Steps spent to find the states of a segment with `!(…)`, which can multiply the states."""
MAX_BRACE_WORK = 60_000
"""Characters read while braces are expanded. Nesting can multiply them."""

FILE_ROWS = 20_000
"""Alternatives of all patterns in one intents file."""
FILE_AUTOMATA = 500
"""Segments that need an automaton in one intents file."""


class PatternLimitError(ValueError):
    """A pattern is over a limit. The error's text is the message of the finding."""
