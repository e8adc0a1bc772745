"""Paths that no agent may change: the control plane, and globs of the policy (row 6 of the gate).

Invariant: the answer depends on the rules and the path alone: it is the same before a call and
after it.
"""

from collections.abc import Iterator
from functools import lru_cache

from intent_lsp.core.commands.git import LOCAL_ROOM_REASON
from intent_lsp.core.control_plane import CONTROL_REASON, control_glob
from intent_lsp.core.gate.request import DeniedPath
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.core.scope.pattern import NameComparison
from intent_lsp.core.scope.scope import Scope, compile_scope
from intent_lsp.governance.root.rules import Rules


def denied_path(rules: Rules, path: WorkspacePath) -> Iterator[DeniedPath]:
    """Yield the reason why agents may not change a path (row 6 of the gate); nothing if they may.

    There is at most one reason. If both a rule of the policy and the control plane deny the path,
    it is the rule.
    """
    denying, spelling = rules.policy.deny_mutations, rules.spelling
    rule = next((r for r in denying if globs((r.path_glob,), spelling).covers(path)), None)
    if rule is not None:
        yield DeniedPath(path, rule.path_glob, rule.reason)
    elif (glob := control_glob(path)) is not None:
        local = path == LOCAL_ROOM
        yield DeniedPath(path, glob, LOCAL_ROOM_REASON if local else CONTROL_REASON)


@lru_cache(maxsize=64)
def globs(patterns: tuple[str, ...], spelling: NameComparison) -> Scope:
    """Return a scope compiled from globs of the policy. `spelling` says how names are compared."""
    return compile_scope(patterns, spelling)
