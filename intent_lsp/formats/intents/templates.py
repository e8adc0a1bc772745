"""The files that `init` creates, with commented examples (requirements section 2).

Invariant: each file reads without a finding, and governs nothing until somebody edits it.
"""

INTENTS = """\
# The intents of this repository: which piece of work may touch which files.
# Tools that check edits against them read this file whenever it changes.
#
# active_intents:
#   - id: INT-001
#     name: JWT authentication migration
#     status: IN_PROGRESS        # PLANNED, IN_PROGRESS, COMPLETED, BLOCKED, ABANDONED, ARCHIVED
#     owned_scope:               # globs from the root; quote them; none means no file
#       - "src/auth/**"
#       - "src/middleware/jwt.ts"
#       - "!src/auth/generated/**"
#     constraints:
#       - "Must not use external auth providers"
#     acceptance_criteria:
#       - "Unit tests in tests/auth/ pass"
#     created_at: "2026-02-16T12:00:00Z"
#     updated_at: "2026-02-16T12:00:00Z"
active_intents: []
"""

POLICY = """\
# The team's policy. Every key is optional; what is commented out shows the default.
sidecar:
  version: 1
  # What every agent is told, whatever the intent.
  architectural_constraints: []
  # Tools that no agent may call; `*` stands for any characters.
  blocked_tools: []
  # Files that no agent may change, whatever an intent owns.
  deny_mutations:
    - path_glob: ".orchestration/**"
      reason: "Orchestration control-plane files are machine-managed."
  # enforcement: warn          # editor saves: observe, warn, block
  # hitl: never                # a person approves agents' edits: never, out_of_scope, always
  # hitl_timeout_seconds: 60
  # fail_open: true            # an internal failure lets the edit pass
  # contract: deny             # agents while .orchestration/ has wrong files: ignore, warn, deny
  # require_checkout: true     # agents select an intent in every turn
  # require_read: false        # agents read a file before they change it
  # complete_on_attempt: true  # a successful attempt_completion completes the intent
  # spec_iteration_globs: ["specs/[0-9][0-9][0-9]-*/**", "specs/[0-9][0-9][0-9]-*"]
  # mutating_tools: []         # more tools that change files
  # read_only_tools: []        # more tools that change no file
  # record_saves: runs         # consecutive automatic saves are one record: runs, each
  # history_in_yaml: false     # recent_history is kept in the intents file too
  # generated: []              # globs of files that tools make, and nobody judges
  # ledger: single             # single, segments
  # lessons: {violations: AGENT.md, verification: CLAUDE.md}
  # privacy: {authors: name, session_ids: plain, urls: keep}   # or none, hashed, drop
"""

GITIGNORE = """\
# Caches and local state: each machine has its own.
.local/
.tmp-*
# Made from the ledger, anew after each commit: if git tracked it, the tree would never be clean.
intent_map.md
"""

GITATTRIBUTES = """\
# Both sides of a merge are kept; `intent-lsp` puts them into order afterwards.
# The ledger's lines are hashed as they stand: no line ending of theirs is ever changed.
# A forge that merges on its server may ignore this and leave a conflict in the ledger:
# `intent-lsp trace merge --resolve .orchestration/agent_trace.jsonl` resolves it.
*.jsonl merge=union -text linguist-generated
*.md merge=union
governance_ledger.md linguist-generated
"""

LESSONS = """\
# Lessons

What people and agents have learnt in this repository.

<!-- intent-lsp lessons -->
<!-- /intent-lsp lessons -->
"""
