"""Part 2: two agents at work on one file; neither overwrites what the other wrote.

Invariant: every step checks that what it prints has happened.
"""

import hashlib

from agent import TOOL, Agent
from editor import Editor, Message, check
from sample_repository import INVOICE, LESSONS, LOGIN
from walkthrough import Walkthrough

_COUNT = "    user.count()\n"
_LOCK = "    if user.count() > 3:\n        return None\n"
_END = "    return user.check(password)\n"
_GREET = "    return user.check(password) and greet(user)\n"

_SHORT = 8
"""Digits of a hash that are shown."""


def run_agents_part(demo: Walkthrough, editor: Editor) -> None:
    """Run part 2, with the server of part 1."""
    architect, builder = Agent("Architect", editor), Agent("Builder", editor)
    _begin(demo, editor, architect, builder)
    _both_read(demo, architect, builder)
    _one_writes(demo, architect)
    _stale_write(demo, builder)
    _second_try(demo, builder)
    _astray(demo, builder)
    _ledger(demo, editor)


def _begin(demo: Walkthrough, editor: Editor, architect: Agent, builder: Agent) -> None:
    """Begin a turn of each agent, and select an intent in it."""
    demo.step("The person closes their files. On the same server, two agents begin a turn")
    editor.close(LOGIN)
    editor.close(INVOICE)
    turns = architect.begin("beginTurn"), builder.begin("beginTurn")
    for turn in map(editor.answer, turns):
        check(turn["stage"] == "checkout_required", "a turn begins without an intent")
    demo.say("A turn begins without an intent, so each selects one:")
    chosen = (
        (architect, architect.begin("select", intentId="INT-001")),
        (builder, builder.begin("select", intentId="INT-003")),
    )
    for agent, number in chosen:
        intent = agent.answer(number)["intent"]
        check(intent["status"] == "IN_PROGRESS", "the intent is in progress")
        demo.say(f"  {agent.name:9}  {intent['id']}  {intent['name']}")


def _both_read(demo: Walkthrough, architect: Agent, builder: Agent) -> None:
    """Read the same file in both sessions."""
    demo.step(f"Both read {LOGIN}, which both intents own")
    agents = architect, builder
    numbers = [agent.begin("recordRead", path=LOGIN) for agent in agents]
    hashes = {agent.answer(number)["hash"] for agent, number in zip(agents, numbers, strict=True)}
    check(hashes == {_hash_on_disk(demo, LOGIN)}, "both have read what is on disk")
    for agent in agents:
        agent.read(LOGIN)
    demo.say(f"The server knows for each of them what they saw: {_short(hashes.pop())}")


def _one_writes(demo: Walkthrough, architect: Agent) -> None:
    """Have one agent ask, write and report."""
    demo.step("The Architect asks before it writes, writes, and says that it is done")
    text = architect.rewritten(LOGIN, _COUNT, _LOCK)
    decision = architect.ask("validateEdit", toolName=TOOL, path=LOGIN, newText=text)
    check(decision["allowed"] and decision["scopeValidation"] == "PASS", "the edit is allowed")
    demo.say(f"intent/validateEdit: it may, for {decision['intentId']}")
    architect.write(LOGIN, text)
    done = architect.ask("recordEdit", ticket=decision["ticket"], success=True)
    (file,) = done["files"]
    check(file["postHash"] == _hash_on_disk(demo, LOGIN), "what is on disk is recorded")
    demo.say(f"intent/recordEdit: {_short(file['preHash'])} became {_short(file['postHash'])}")


def _stale_write(demo: Walkthrough, builder: Agent) -> None:
    """Have the other agent write an outdated text."""
    demo.step("The Builder writes too, from the text that it read before")
    text = builder.rewritten(LOGIN, _END, _GREET)
    check(_LOCK not in text, "the Architect's lines are not in the Builder's text")
    decision = builder.apply(LOGIN, text)
    check(not decision["allowed"] and not decision["applied"], "the old text is refused")
    check(decision["error"]["code"] == "STALE_FILE", "it is refused as stale")
    check(_LOCK in (demo.folder / LOGIN).read_text(), "the Architect's lines stay on disk")
    _refusal(demo, decision)
    demo.say("The file on disk is unchanged. The Architect's lines would have been lost.")


def _second_try(demo: Walkthrough, builder: Agent) -> None:
    """Have it read again, and write."""
    demo.step("The Builder reads again, and has the server write for it: intent/applyEdit")
    builder.ask("recordRead", path=LOGIN)
    builder.read(LOGIN)
    decision = builder.apply(LOGIN, builder.rewritten(LOGIN, _END, _GREET))
    check(decision["applied"] and decision["recordId"], "the edit is made and recorded")
    check(decision["scopeValidation"] == "PASS", "the verdict is PASS")
    text = (demo.folder / LOGIN).read_text()
    check(_LOCK in text and _GREET in text, "the file has the lines of both")
    demo.say(f"Written and recorded, for {decision['intentId']}. The file has the work of both:")
    demo.code(text, "python")


def _astray(demo: Walkthrough, builder: Agent) -> None:
    """Have it ask for a file that another intent owns."""
    demo.step(f"The Builder strays to {INVOICE}, which INT-003 does not own")
    check(not (demo.folder / LESSONS).exists(), "nobody has learnt anything yet")
    decision = builder.ask("validateEdit", toolName=TOOL, path=INVOICE)
    check(not decision["allowed"], "the edit is refused")
    check(decision["error"]["code"] == "SCOPE_VIOLATION", "it is refused as out of scope")
    owners = decision["error"]["details"]["owning_intents"][INVOICE]
    check(owners == ["INT-002"], "the owner is named")
    _refusal(demo, decision)
    demo.say(f"The answer names the owner: {', '.join(owners)}")
    builder.ask("status")  # Lessons are written once the answer is given; this waits for them.
    after = (demo.folder / LESSONS).read_text().splitlines()
    lessons = [line for line in after if line.startswith("- ")]
    check(len(lessons) == 1 and INVOICE in lessons[0], "there is one lesson")
    demo.say(f"And {LESSONS}, which agents read before they work, is made, with a first lesson:")
    demo.say(lessons[0], "cyan")


def _ledger(demo: Walkthrough, editor: Editor) -> None:
    """Show all records, and verify the chain."""
    demo.step("What is in the ledger now: each change, its intent, and what the file became")
    records = editor.ask("intent/trace", {})["records"][::-1]
    agents = {"architect": "Architect", "builder": "Builder"}
    rows = []
    newest = {}
    for record in records:
        (file,) = record["files"]
        name, hash_ = file["relative_path"], file["post_hash"]
        newest[name] = hash_
        person = "somebody" if record["tool_name"] == "disk/change" else "the person"
        who = agents.get(record["session_id"], person)
        rows.append((record["intent_id"], name, _short(hash_), who))
    recorded = [(row[0], row[3]) for row in rows if row[3] in agents.values()]
    check(
        recorded == [("INT-001", "Architect"), ("INT-003", "Builder")], "both agents are recorded"
    )
    demo.table(("Intent", "File", "Hash", "By"), rows)
    on_disk = {name: _hash_on_disk(demo, name) for name in newest}
    check(newest == on_disk, "the newest hashes are those of the files on disk")
    demo.say("The last hash of each file is the hash of the file on disk.")
    status, said = demo.command("trace", "verify")
    check(status == 0 and f"{len(rows)} records" in said, "the ledger of all three verifies")


def _refusal(demo: Walkthrough, decision: Message) -> None:
    demo.say(f"Refused, {decision['error']['code']}: {decision['reason']}", "yellow")


def _short(hash_: str) -> str:
    return hash_.removeprefix("sha256:")[:_SHORT]


def _hash_on_disk(demo: Walkthrough, name: str) -> str:
    # Computed here, not by the server's code: the demo checks the server.
    return "sha256:" + hashlib.sha256((demo.folder / name).read_bytes()).hexdigest()
