"""The keys of control files below which globs may stand without quotes."""

import re

from msgspec import Struct

_START = r"(?:\A|(?<=[\r\n]))"


class GlobKeys(Struct, frozen=True):
    """The keys below which globs need no quotes: `outer` anywhere, `inner` below `inner_of`.

    `single` are those of `outer` that hold one glob, and no list.
    """

    outer: tuple[str, ...]
    inner: tuple[str, ...] = ()
    inner_of: str = ""
    single: tuple[str, ...] = ()

    def pattern(self) -> re.Pattern[str]:
        """Return a regular expression that finds these keys, first on a line or in flow mappings.

        Group `key` is the key's name; `lead` is the indent and the dashes before a key that is
        first on its line, else None.
        """
        names = "|".join(re.escape(name) for name in (*self.outer, *self.inner))
        return re.compile(
            rf"(?:{_START}(?P<lead>[ ]*(?:-[ ]+)*)|[{{,][ \t]*)"
            rf"(?P<quote>[\"']?)(?P<key>{names})(?P=quote)[ ]*:(?=\s|\Z)"
        )


INTENT_GLOBS = GlobKeys(("owned_scope", "ownedScope", "scope"), ("paths",), "scope")
POLICY_GLOBS = GlobKeys(
    (
        "path_glob",
        "pathGlob",
        "generated",
        "spec_iteration_globs",
        "specIterationGlobs",
        "blocked_tools",
        "blockedTools",
        "mutating_tools",
        "mutatingTools",
        "read_only_tools",
        "readOnlyTools",
    ),
    single=("path_glob", "pathGlob"),
)
