"""Diagnostics on the settings files of agent hosts that did not ask while files changed.

Specified in hooks section 6.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticParts
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.agents.host_liveness import BlindHost, blind_hosts
from intent_lsp.store.agent_hosts import home_directory

HEARD_WITHIN: Final = 3.0
"""Seconds between two examinations of a root that has hosts to show."""


class HostDiagnostics:
    """Shows diagnostics on the settings files of hosts that did not ask while files changed.

    `changed` is called with a root when the hosts to name for it have changed.
    """

    def __init__(self, parts: DiagnosticParts) -> None:
        self._parts = parts
        self._found: dict[OpenRoot, tuple[BlindHost, ...]] = {}
        self._watched: set[OpenRoot] = set()
        self._shown: dict[OpenRoot, dict[str, list[lsp.Diagnostic]]] = {}
        self.changed: Callable[[OpenRoot], object] = lambda _: None

    def blind(self, open_root: OpenRoot) -> tuple[str, ...]:
        """Return the titles of the agent hosts that did not ask before files of the root changed.

        They are the hosts that were last passed to `show`, even if the settings hide their
        diagnostics.
        """
        return tuple(each.host.title for each in self._found.get(open_root, ()))

    async def refresh(self, open_root: OpenRoot) -> None:
        """Find out which agent hosts did not ask while files of a root changed, and show them.

        Change nothing if that cannot be read now.
        """
        in_thread, governance = self._parts.work.in_thread, open_root.governance
        found = await in_thread(blind_hosts, governance, home_directory())
        if found is not None:
            self.show(open_root, found)

    def show(self, open_root: OpenRoot, found: tuple[BlindHost, ...]) -> None:
        """Show a diagnostic for each host in `found`, unless the settings hide it.

        They replace the diagnostics shown for hosts of this root before. As long as there are such
        hosts, `refresh` is called every HEARD_WITHIN seconds.
        """
        shown: dict[str, list[lsp.Diagnostic]] = {}
        for each in found:
            encoded = self._encoded(each)
            if encoded is not None:
                # Two hosts may share a file.
                shown.setdefault(self._uri(each), []).append(encoded)
        known = self.blind(open_root)
        self._found[open_root], former = found, self._shown.get(open_root, {})
        if shown != former:
            self._shown[open_root] = shown
            for uri in former.keys() | shown.keys():
                self._parts.publisher.add(open_root, uri, shown.get(uri, ()))
        if self.blind(open_root) != known:
            self.changed(open_root)
        if found and open_root not in self._watched:
            self._watched.add(open_root)
            self._parts.work.begin(self._until_heard(open_root))

    async def _until_heard(self, open_root: OpenRoot) -> None:
        """Call `refresh` every HEARD_WITHIN seconds, as long as it finds hosts to show.

        A host may begin to ask another process, and this server does not learn of that otherwise.
        """
        try:
            while self._found[open_root]:
                await asyncio.sleep(HEARD_WITHIN)
                await self.refresh(open_root)
        finally:
            self._watched.discard(open_root)

    def _uri(self, blind: BlindHost) -> str:
        """Return the URI of a host's settings file, as the client spells it if the file is open."""
        uri = uri_of(blind.file)
        document = self._parts.documents.get(uri)
        return uri if document is None else document.uri

    def _encoded(self, blind: BlindHost) -> lsp.Diagnostic | None:
        """Return the diagnostic of a host, or None if the settings hide it."""
        violation = blind.violation
        severity = self._parts.settings.severity(violation.code, violation.severity, violation.path)
        if severity is None:
            return None
        return self._parts.spelling.problem(
            violation, blind.lines, version=None, severity=severity, sources={}
        )
