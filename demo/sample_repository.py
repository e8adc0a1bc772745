"""The demo's repository: two files and three intents.

Invariant: every file of it is written here first.
"""

from editor import check
from walkthrough import Walkthrough

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
INTENTS, POLICY = ".orchestration/active_intents.yaml", ".orchestration/constraints.sidecar.yaml"
LEDGER, LESSONS = ".orchestration/agent_trace.jsonl", "AGENT.md"

LOGIN_TEXT = """\
def login(name, password):
    user = find(name)
    return user.check(password)
"""
INVOICE_TEXT = """\
class Invoice:
    def total(self):
        return self.net
"""
INTENTS_TEXT = """\
active_intents:
  - id: INT-001
    name: Lock accounts after three wrong passwords
    status: PLANNED
    owned_scope: ["src/auth/**"]
    constraints: ["No new dependency"]
  - id: INT-002
    name: Invoices with tax
    status: PLANNED
    owned_scope: ["src/billing/**"]
  - id: INT-003
    name: Greet people who log in
    status: PLANNED
    owned_scope: ["src/auth/login.py", "src/pages/**"]
"""


def create(demo: Walkthrough) -> None:
    """Create the repository, set it up with `intent-lsp init`, and write the intents."""
    demo.step("A repository, and one command")
    for name, text in ((LOGIN, LOGIN_TEXT), (INVOICE, INVOICE_TEXT)):
        (demo.folder / name).parent.mkdir(parents=True)
        (demo.folder / name).write_text(text)
    demo.git("init", "--quiet")
    _commit(demo, "Before intents")
    status, said = demo.command("init")
    check(status == 0 and INTENTS in said, "init creates the intents file")
    demo.step("The team writes down what is being worked on, and which files each work may touch")
    (demo.folder / INTENTS).write_text(INTENTS_TEXT)
    demo.code(INTENTS_TEXT, "yaml")
    _commit(demo, "Write down three intents")


def _commit(demo: Walkthrough, message: str) -> None:
    demo.git("add", "--all")
    demo.git("commit", "--quiet", "--message", message)
