"""The hosts that can be run here: which are free, and which only where a person names them."""

import os
from collections.abc import Mapping

from tests.support.agent_lab.host import Host
from tests.support.agent_lab.hosts import cline, codex, gemini, kimi, opencode, qwen

FREE: Mapping[str, Host] = {
    module.HOST.name: module.HOST for module in (codex, qwen, gemini, opencode, kimi, cline)
}
CODE_MODE = codex.CODE_MODE


def named() -> frozenset[str]:
    """Return the hosts named by INTENT_LSP_TEST_HOSTS, words with spaces or commas between."""
    return frozenset(os.environ.get("INTENT_LSP_TEST_HOSTS", "").replace(",", " ").split())


def wanted_hosts() -> Mapping[str, Host]:
    """Return the free hosts."""
    return FREE
