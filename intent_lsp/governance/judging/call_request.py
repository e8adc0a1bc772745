"""A call that is to be judged, with its asker and the rules in force (requirements section 6).

Invariant: only values are stored here. The facts about the files are read under the root's lock.
"""

from msgspec import Struct

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.gate.request import NO_ANSWER, ApprovalAnswer
from intent_lsp.formats.tool_call import CallReading
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.sessions import Asker


class Hearing(Struct, frozen=True, kw_only=True):
    """A call to be judged: what it would do (`reading`), who makes it, and by which rules.

    `word` is a person's answer to an approval request.
    """

    call: ToolCall
    reading: CallReading
    asker: Asker
    rules: Rules
    word: ApprovalAnswer = NO_ANSWER
