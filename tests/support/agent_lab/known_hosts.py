"""The hosts that can be run here: which are free, and which run only where a person names them."""

import os
from collections.abc import Mapping

from tests.support.agent_lab.host import Host
from tests.support.agent_lab.hosts import (
    claude,
    cline,
    codex,
    copilot,
    gemini,
    kimi,
    opencode,
    qwen,
)

FREE: Mapping[str, Host] = {
    host.name: host
    for host in (codex.HOST, qwen.HOST, gemini.HOST, opencode.HOST, kimi.HOST, cline.HOST)
}
ON_OTHER_TERMS: Mapping[str, Host] = {"claude": claude.HOST, "copilot": copilot.HOST}
"""Hosts that are no free software: a person who may use them names them."""
CODE_MODE = codex.CODE_MODE


def wanted_hosts() -> Mapping[str, Host]:
    """Return the free hosts, and those named by INTENT_LSP_TEST_HOSTS (`claude,copilot`)."""
    named = os.environ.get("INTENT_LSP_TEST_HOSTS", "").replace(",", " ").split()
    return {**FREE, **{name: h for name, h in ON_OTHER_TERMS.items() if name in named}}
