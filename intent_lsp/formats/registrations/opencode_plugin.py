"""The JavaScript plug-in for opencode, whose hooks cannot be commands (agents.md).

It passes events on to `intent-lsp hook opencode`, refuses a call by an exception, and appends what
the hook says after a call to the call's output.
"""

from typing import Final

from intent_lsp.formats.registrations.registration import WRITTEN_BY

_TEXT: Final = """\
// @WRITTEN_BY@
// Asks intent-lsp about each call of a tool. `intent-lsp agents uninstall` removes this file.
import { spawnSync } from "node:child_process"

const COMMAND = "intent-lsp"
const WORDS = ["hook", "opencode"]
const LIMIT = 30_000
const LARGEST = 16 * 1024 * 1024
const SESSIONS = new Set(["session.created", "session.idle", "session.deleted"])

function ask(payload) {
  const run = spawnSync(COMMAND, WORDS, {
    input: JSON.stringify(payload),
    encoding: "utf8",
    cwd: payload.directory,
    timeout: LIMIT,
    maxBuffer: LARGEST,
  })
  if (!payload.event.startsWith("tool.")) return ""
  if (run.status === 2) throw new Error((run.stderr || "").trim() || "intent-lsp said no.")
@ON_FAILURE@  return run.status === 0 ? (run.stdout || "").trim() : ""
}

export const IntentLsp = async ({ directory, worktree }) => ({
  event: async ({ event }) => {
    if (!SESSIONS.has(event.type)) return
    const info = event.properties?.info
    const sessionID = info?.id ?? event.properties?.sessionID
    ask({ event: event.type, sessionID, parentID: info?.parentID, directory, worktree })
  },
  "chat.message": async (input, output) => {
    const parts = (output?.parts ?? []).filter((part) => part.type === "text")
    const prompt = parts.map((part) => part.text).join("\\n")
    const sessionID = input?.sessionID
    const model = output?.message?.model?.modelID ?? input?.model?.modelID
    ask({ event: "chat.message", sessionID, model, prompt, directory, worktree })
  },
  "tool.execute.before": async (input, output) => {
    const { tool, sessionID, callID } = input
    const args = output?.args
    ask({ event: "tool.execute.before", tool, sessionID, callID, args, directory, worktree })
  },
  "tool.execute.after": async (input, output) => {
    const { tool, sessionID, callID, args } = input
    const event = "tool.execute.after"
    const said = ask({ event, tool, sessionID, callID, args, output, directory, worktree })
    if (said && typeof output?.output === "string") output.output += "\\n\\n" + said
  },
})
"""

_CLOSED: Final = """\
  if (run.status !== 0 && payload.event === "tool.execute.before")
    throw new Error("intent-lsp could not judge this call: " + (run.error?.message ?? run.status))
"""


def plugin_text(*, fail_closed: bool) -> str:
    """Return the plug-in's source.

    With `fail_closed`, it also refuses a call if the hook fails or gives no answer in time.
    """
    text = _TEXT.replace("@WRITTEN_BY@", WRITTEN_BY)
    return text.replace("@ON_FAILURE@", _CLOSED if fail_closed else "")
