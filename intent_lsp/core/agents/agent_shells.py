"""The environment variables by which a shell of an agent is known.

Invariant: a variable counts only if hosts set it for what they run, and not for people. An agent
can unset it, so the check only prevents mistakes. The gate, which denies agents any change of the
control plane, protects the files.
"""

from collections.abc import Mapping
from typing import Final

AGENT_VARIABLES: Final = (
    # These variables hosts have been seen to set for the programs that they run as hooks.
    "CLAUDECODE",
    "QWEN_CODE_CLI",
    "COPILOT_CLI",
    "GEMINI_SESSION_ID",
    "CLINE_BUILD_ENV",
    "AI_AGENT",
    # These are documented or read by other tools, and not observed here.
    "GEMINI_CLI",
    "QWEN_CODE",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "OPENCODE",
    "CLINE_ACTIVE",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
    "AMP_CURRENT_THREAD_ID",
)
"""Every variable by which an agent's shell is known, in the order in which they are looked up."""


def agent_variable(environment: Mapping[str, str]) -> str | None:
    """Return the first of AGENT_VARIABLES that is set and not empty, or None if none is."""
    return next((name for name in AGENT_VARIABLES if environment.get(name)), None)
