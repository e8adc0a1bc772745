"""The names by which a governed root is found, as plain strings.

Invariant: nothing is loaded, so that a hook begins quickly. All others use them from `core.paths`.
"""

CONTROL_ROOM = ".orchestration"
INTENTS_FILE = f"{CONTROL_ROOM}/active_intents.yaml"
LEDGER_FILE = f"{CONTROL_ROOM}/agent_trace.jsonl"
