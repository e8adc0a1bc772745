"""What a hook answers, and the environment variables that change its answer.

Invariant: this module imports only light modules of the standard library, and not `typing`, so that
a hook begins quickly.
"""

from collections import namedtuple


class HookAnswer(
    namedtuple("HookAnswer", ("stdout", "stderr", "status"), defaults=("", "", 0))  # noqa: PYI024
):
    """What the hook's process writes to standard output and standard error, and its exit status."""

    __slots__ = ()
    stdout: str
    stderr: str
    status: int


SHARE_OF_LIMIT = 0.5
"""The share of the host's time limit that a hook may take."""

SILENCE = HookAnswer()
"""No output and exit status 0."""

INTENT_VARIABLE = "INTENT_LSP_INTENT"
"""The environment variable with the intent that a person has chosen for new sessions."""

PROBE_VARIABLE = "INTENT_LSP_PROBE"
"""The environment variable that, with the value `1`, lets a hook answer a probe of the doctor."""

COPILOT_VARIABLE = "COPILOT_CLI"
"""The environment variable that GitHub Copilot CLI sets for the hooks that it runs."""
