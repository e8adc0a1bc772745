"""What a hook answers, and the environment variables that change its answer.

Invariant: only the standard library's light modules are needed, so that a hook begins quickly.
"""

from typing import Final, NamedTuple


class HookAnswer(NamedTuple):
    """What the hook's process writes to standard output and standard error, and its exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


SHARE_OF_LIMIT: Final = 0.5
"""The share of the host's time limit that a hook may take."""

SILENCE: Final = HookAnswer()
"""No output and exit status 0."""

INTENT_VARIABLE: Final = "INTENT_LSP_INTENT"
"""The environment variable with the intent that a person has chosen for new sessions."""

PROBE_VARIABLE: Final = "INTENT_LSP_PROBE"
"""The environment variable that, with the value `1`, lets a hook answer a probe of the doctor."""

COPILOT_VARIABLE: Final = "COPILOT_CLI"
"""The environment variable that GitHub Copilot CLI sets for the hooks that it runs."""
