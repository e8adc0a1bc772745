"""The answer to `intents select`: an intent made a session's own, and what it asks."""

import json

from intent_lsp.doors.cli.asker import agent_named, session_needed
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import Exit
from intent_lsp.doors.cli.opened_desk import governing, opened_desk, refused
from intent_lsp.doors.cli.whereabouts import root_above
from intent_lsp.formats.intent_json import context_json, intent_json
from intent_lsp.governance.checkout import Refusal


def answer(call: Call) -> int:
    """Select, and write what whoever works for the intent has to know."""
    options = call.options
    session_id = session_needed(options)
    with opened_desk(root_above(options.root)) as desk:
        governing(desk)
        session = desk.sessions.open_agent(session_id, agent_named(options))
        done = desk.checkout.select(session, options.id, unsaved_file=False)
    if isinstance(done, Refusal):
        raise refused(done)
    for warning in done.warnings:
        call.page.remark(f"intent-lsp: {warning}")
    if options.json:
        told = {
            "intent": intent_json(done.intent),
            "context": context_json(done.context),
            "text": done.text,
            "warnings": list(done.warnings),
        }
        call.page.json(json.dumps(told).encode())
    elif call.page.terminal:
        for line in done.text.splitlines():
            call.page.line(line)
    else:
        call.page.text(done.text)
    return Exit.FINE
