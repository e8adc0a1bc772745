"""The names by which a governed root is found, as plain strings.

Invariant: this module imports nothing, so that a hook begins quickly. All other code takes these
names from `core.paths`.
"""

CONTROL_ROOM = ".orchestration"
INTENTS_FILE = f"{CONTROL_ROOM}/active_intents.yaml"
LEDGER_FILE = f"{CONTROL_ROOM}/agent_trace.jsonl"
