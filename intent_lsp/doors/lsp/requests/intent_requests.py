"""The requests about intents, status, ledger and drafts (protocol section 2).

Invariant: a handler reads the params, asks governance and builds the answer. It holds no rules.
"""

from pathlib import Path

from intent_lsp.core.blame.attribution import run_of
from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.timestamps import timestamp
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.requests.agent_requests import AgentRequests
from intent_lsp.doors.lsp.requests.workspace_lookup import RootLookup, session_of, why_none
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.runtime.settings import Settings
from intent_lsp.doors.lsp.wire.answers import JsonObject, accepted, draft_wire, failed, status_wire
from intent_lsp.formats.ledger.jsonl import to_wire
from intent_lsp.formats.markdown.provenance import who
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import (
    CommonParams,
    PathParams,
    SelectParams,
    TraceParams,
    VerifyParams,
    read_cursor,
)
from intent_lsp.formats.result_json import verification_json
from intent_lsp.governance.agents.host_liveness import host_json, known_hosts
from intent_lsp.governance.governance import GovernanceStatus
from intent_lsp.governance.plan.checkout import intents_json, selection_json
from intent_lsp.governance.root.rules import FileState
from intent_lsp.governance.root.sessions import CHECKOUT_REQUIRED
from intent_lsp.governance.setup import initialise
from intent_lsp.store.agent_hosts import home_directory
from intent_lsp.store.fs.roots import governed_root
from intent_lsp.store.ledger.index.queries import PageCursor, Query
from intent_lsp.store.state.notes import AgentInfo


class IntentRequests:
    """Answers requests about intents, status, ledger and drafts on one connection."""

    def __init__(self, connection: Connection, finder: RootLookup, agents: AgentRequests) -> None:
        self._connection = connection
        self._in_thread = connection.work.in_thread
        self._agents = agents
        self._finder = finder

    async def list_intents(self, given: object) -> JsonObject:
        """Answer `intent/list`: the intents of a root, and the active one.

        If nothing governs the workspace, answer not enabled, and no intents.
        """
        params = read_params(given, CommonParams)
        open_root = await self._finder.find(params)
        if open_root is None:
            return {"enabled": False, "activeIntentId": None, "intents": []}
        rules = await self._in_thread(open_root.governance.rules.current)
        status = await self._in_thread(self._status, params, open_root)
        return {
            "enabled": status.enabled,
            "activeIntentId": status.active_intent_id,
            "intents": intents_json(rules),
        }

    async def select(self, open_root: OpenRoot, params: SelectParams) -> JsonObject:
        """Answer `intent/select`: make an intent active in the asking session.

        If an agent's params ask for a new turn, begin it first.
        """
        if params.new_turn and session_of(params, open_root) != open_root.session:
            await self._agents.begin_turn(open_root, params)
        voice = AgentInfo(model=params.model_identifier, url=params.conversation_url)
        theirs, select = session_of(params, open_root), self._connection.choices.select
        return selection_json(accepted(await select(open_root, theirs, params.intent_id, voice)))

    async def clear(self, open_root: OpenRoot, params: CommonParams) -> JsonObject:
        """Answer `intent/clear`: deselect the active intent of the asking session."""
        theirs = session_of(params, open_root)
        if theirs == open_root.session:
            await self._connection.choices.clear(open_root)
        else:
            await self._in_thread(open_root.governance.checkout.clear, theirs)
        return {"activeIntentId": None}

    async def status(self, given: object) -> JsonObject:
        """Answer `intent/status`: the state of a root and of the asking session.

        If nothing governs the workspace, answer not enabled, and `root` null.
        """
        params = read_params(given, CommonParams)
        open_root = await self._finder.find(params)
        if open_root is None:
            return _dormant_status(self._connection.open_roots.settings)
        status = await self._in_thread(self._status, params, open_root)
        told = status_wire(status, self._connection.hosts.blind(open_root))
        hosts = await self._in_thread(known_hosts, open_root.governance, home_directory())
        return {**told, "hosts": [host_json(each) for each in hosts]}

    async def owners(self, given: object) -> JsonObject:
        """Answer `intent/owners`: the intents that own a path, whatever their status.

        Without a root, answer no owners.
        """
        params = read_params(given, PathParams)
        open_root = await self._finder.find(params)
        if open_root is None:
            params.required_path()
            return {"owners": []}
        return await self._in_thread(_owned, open_root, params)

    async def trace(self, open_root: OpenRoot, params: TraceParams) -> JsonObject:
        """Answer `intent/trace`: a page of records, newest first.

        The params may select the records by intent, path, session and time.
        """
        path = await self._path_named(params, open_root)
        query = Query(
            intent_ids=None if params.intent_id is None else (params.intent_id,),
            path=path,
            session_ids=None if params.of_session is None else (params.of_session,),
            since=None if params.since is None else timestamp(params.since),
        )
        cursor = None if params.cursor is None else PageCursor(read_cursor(params.cursor))
        return await self._in_thread(_traced, open_root, query, params.limit, cursor)

    async def verify(self, open_root: OpenRoot, params: VerifyParams) -> JsonObject:
        """Answer `intent/verify`: whether the ledger's hash chain and anchors are intact."""
        title = "Verifying the ledger"
        async with self._connection.progress.shown(params.work_done_token, title) as progress:
            found = await self._in_thread(open_root.governance.tracing.verify, progress=progress)
        return verification_json(found)

    async def drafts(self, open_root: OpenRoot, params: PathParams) -> JsonObject:
        """Answer `intent/drafts`: the kept drafts, newest first, of one path or of all paths."""
        path = await self._path_named(params, open_root)
        kept = await self._in_thread(open_root.governance.stores.drafts.list, path)
        return {"drafts": [draft_wire(draft) for draft in kept]}

    async def init(self, given: object) -> JsonObject:
        """Answer `intent/init`: create the files of a governed root that are missing.

        If the params name no workspace, the first workspace folder is meant. If a root governs that
        folder already, complete that root, because a new root in the folder would take its place.
        """
        params = read_params(given, CommonParams)
        folder = self._folder(params)
        if folder is not None and params.workspace_uri is None:
            folder = await self._in_thread(self._root_above, folder)
        if folder is None:
            said = "No workspace folder is open; open one, or name one in `workspaceUri`."
            raise failed(RequestCode.NOT_GOVERNED, said, {})
        try:
            created = await self._in_thread(initialise, folder)
        except (OSError, IntentLspError) as error:
            said = f"{folder} cannot be set up: {error}"
            raise failed(RequestCode.NOT_GOVERNED, said, {"path": str(folder)}) from error
        open_root = await self._in_thread(self._connection.open_roots.of_path, str(folder))
        if open_root is not None:
            await self._connection.announce_root(open_root)
        return {"created": list(created)}

    def _status(self, params: CommonParams, open_root: OpenRoot) -> GovernanceStatus:
        session = session_of(params, open_root)
        return open_root.governance.status(session.id, agent_id=session.agent_id)

    async def _path_named(self, params: PathParams, open_root: OpenRoot) -> WorkspacePath | None:
        """Return the root-relative path that the params name, or None if they name none.

        Raise WrongParamsError if the path is outside the root.
        """
        if not (params.path or params.uri):
            return None
        return await self._in_thread(open_root.governance.path_named, params)

    def _root_above(self, folder: Path) -> Path:
        """Return the root that governs a folder, even if it is not open, or else the folder."""
        open_root = self._connection.open_roots.of_path(str(folder))
        if open_root is not None:
            return open_root.governance.root
        return governed_root(str(folder)) or folder

    def _folder(self, params: CommonParams) -> Path | None:
        chosen = params.workspace() or next(iter(self._connection.open_roots.folders), None)
        return None if chosen is None else Path(chosen)


def _owned(open_root: OpenRoot, params: PathParams) -> JsonObject:
    path = open_root.governance.path_named(params)
    intents = open_root.governance.rules.current().file.intents.by_id
    owners = [
        {
            "intentId": owner.intent_id,
            "pattern": owner.pattern,
            "status": intents[owner.intent_id].status.value,
        }
        for owner in open_root.governance.owners(path)
        if owner.intent_id in intents
    ]
    uri = uri_of(open_root.governance.root / path)
    return {"path": path, "uri": uri, "owners": owners}


def _traced(open_root: OpenRoot, query: Query, limit: int, cursor: PageCursor | None) -> JsonObject:
    tracing = open_root.governance.tracing
    page = tracing.page(query, limit=limit, cursor=cursor)
    flags = {record.id: list(tracing.flags(record)) for record in page.records}
    runs = open_root.governance.authors.named(map(run_of, page.records))
    told: JsonObject = {
        "records": [to_wire(record) for record in page.records],
        "who": {record.id: who(run) for record, run in zip(page.records, runs, strict=True)},
        "flags": {name: flag for name, flag in flags.items() if flag},
    }
    return told if page.cursor is None else told | {"cursor": str(page.cursor)}


def _dormant_status(settings: Settings) -> JsonObject:
    dormant = GovernanceStatus(
        root=None,
        enabled=False,
        file_state=FileState.MISSING,
        reason=why_none(settings),
        session_id=settings.session_id or "",
        active_intent_id=None,
        stage=CHECKOUT_REQUIRED,
        turn=1,
        enforcement=TeamPolicy().enforcement.value,
        records=0,
        heads=(),
    )
    return {**status_wire(dormant), "hosts": []}
