"""The limits within which a pattern is read (scope section 3).

Invariant: a pattern over a limit is refused as a whole; it is never read in part.
"""

MAX_PATTERN = 512
MAX_ALTERNATIVES = 1_000
MAX_EXPANDED = 65_536
MAX_GLOBSTARS = 16
MAX_EXTGLOBS = 8
MAX_EXTGLOB_DEPTH = 3
MAX_POSIX_CLASSES = 8
MAX_CLASSES = 64
"""Different bracket expressions in one pattern: each is asked about every letter of a path."""
MAX_AUTOMATA = 32
"""Segments of one pattern that need an automaton, after brace expansion."""
MAX_AUTOMATON = 160
"""Characters, wildcards and classes in a segment that needs an automaton."""
MAX_STATE_WORK = 8_000
"""Steps in which the states of a segment that negates are found: `!(…)` can multiply them."""
MAX_BRACE_WORK = 60_000
"""Characters looked at while braces are expanded: nesting can multiply them."""

FILE_ROWS = 20_000
FILE_AUTOMATA = 500


class PatternLimitError(ValueError):
    """A pattern is over a limit; its text is the sentence for the finding."""
