"""The handler of each `intent/*` request, and the error codes of failures (protocol section 2).

Invariant: an IntentLspError is answered as a JSON-RPC error with one of the project's request
codes.
"""

from collections.abc import Mapping

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import (
    IntentLspError,
    InvalidCallError,
    LedgerUnavailableError,
    RequestLimitError,
)
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.requests.agent_requests import AgentRequests
from intent_lsp.doors.lsp.requests.approval import ApprovalPrompt
from intent_lsp.doors.lsp.requests.blame_requests import BlameRequests
from intent_lsp.doors.lsp.requests.intent_requests import IntentRequests
from intent_lsp.doors.lsp.requests.plan_requests import (
    CompleteParams,
    CreateParams,
    ExpandParams,
    PlanRequests,
    VerificationParams,
)
from intent_lsp.doors.lsp.requests.workspace_lookup import RequestHandler, RootLookup
from intent_lsp.doors.lsp.wire.answers import JsonObject, failed, invalid
from intent_lsp.doors.lsp.wire.names import RequestName
from intent_lsp.formats.params.calls import ExplainParams
from intent_lsp.formats.params.requests import (
    BlameParams,
    ChangeParams,
    CommonParams,
    LinesParams,
    PathParams,
    SelectParams,
    TraceParams,
    VerifyParams,
)


class RequestTable:
    """The handlers of the `intent/*` requests of one connection, by the request's name."""

    def __init__(self, connection: Connection) -> None:
        self._idle_scheduler = connection.work.idle_scheduler
        self._finish = connection.finish
        self.finder = RootLookup(connection)
        self._handlers = self._table(connection)

    async def answer(self, name: RequestName, given: object = None) -> JsonObject:
        """Answer the request `name` with the params `given`.

        Raise JsonRpcException with one of the project's request codes, or for invalid params.
        """
        try:
            with self._idle_scheduler.asked():
                return await self._handlers[name](given)
        except (InvalidCallError, RequestLimitError) as error:
            raise invalid(error) from error
        except IntentLspError as error:
            told = {"cure": error.cure} if error.cure else {}
            unreadable = isinstance(error, LedgerUnavailableError)
            code = RequestCode.LEDGER_UNAVAILABLE if unreadable else RequestCode.STATE_UNAVAILABLE
            raise failed(code, str(error), told) from error

    def _table(self, connection: Connection) -> Mapping[RequestName, RequestHandler]:
        asking = ApprovalPrompt(connection)
        agents = AgentRequests(connection, self.finder, asking)
        intents = IntentRequests(connection, self.finder, agents)
        plan, blame = PlanRequests(connection, asking), BlameRequests(connection)
        governed, whole = self.finder.with_root, self._whole
        return {
            RequestName.LIST: whole(intents.list_intents),
            RequestName.SELECT: whole(governed(SelectParams, intents.select)),
            RequestName.CLEAR: whole(governed(CommonParams, intents.clear)),
            RequestName.STATUS: whole(intents.status),
            RequestName.OWNERS: whole(intents.owners),
            RequestName.INIT: whole(intents.init),
            RequestName.TRACE: whole(governed(TraceParams, intents.trace)),
            RequestName.VERIFY: whole(governed(VerifyParams, intents.verify)),
            RequestName.DRAFTS: whole(governed(PathParams, intents.drafts)),
            RequestName.BLAME: whole(governed(BlameParams, blame.blame)),
            RequestName.LINES: governed(LinesParams, blame.lines),
            RequestName.CHANGE: governed(ChangeParams, blame.change),
            RequestName.BEGIN_TURN: whole(governed(CommonParams, agents.begin_turn)),
            RequestName.RECORD_READ: agents.record_read,
            RequestName.VALIDATE_EDIT: agents.validate_edit,
            RequestName.RECORD_EDIT: whole(agents.record_edit),
            RequestName.APPLY_EDIT: agents.apply_edit,
            RequestName.EXPLAIN: governed(ExplainParams, agents.explain),
            RequestName.CREATE: governed(CreateParams, plan.create),
            RequestName.COMPLETE: whole(governed(CompleteParams, plan.complete)),
            RequestName.REQUEST_SCOPE_EXPANSION: governed(ExpandParams, plan.expand_scope),
            RequestName.RECORD_VERIFICATION: whole(
                governed(VerificationParams, plan.record_verification)
            ),
        }

    def _whole(self, handler: RequestHandler) -> RequestHandler:
        """Return `handler`, wrapped so that it runs to its end even if the request is cancelled.

        Only for requests that do not wait for a person.
        """
        return lambda given: self._finish(handler(given))
