"""Registrations that are whole files: scripts named after events, and the plug-in for opencode.

Invariant: a file that somebody else wrote is neither changed nor removed.
"""

from typing import Final

from msgspec import Struct

from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import (
    WRITTEN_BY,
    EditedText,
    State,
    calls_hook,
    module_calls_hook,
)

_PLUGIN: Final = """\
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

_FAIL_CLOSED: Final = """\
  if (run.status !== 0 && payload.event === "tool.execute.before")
    throw new Error("intent-lsp could not judge this call: " + (run.error?.message ?? run.status))
"""


class FileRegistration(Struct, frozen=True, kw_only=True):
    """A registration of hooks as a file with the text `content`, which is ours as a whole.

    `host` is the host's name in `intent-lsp hook NAME`. `command` is the shell command that calls
    our hook; a person whose own file has the same path is told to run it there. `module`: the file
    is a module for the host to load, and no script.
    """

    host: str
    content: str
    command: str
    module: bool = False

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far the file holds the registration. `text` is its text, or None for no file.

        REGISTERED: the text is `content`. DIFFERS: it is another text that has WRITTEN_BY in it.
        MISSING: there is no file. A text without WRITTEN_BY is REGISTERED if it calls our hook;
        otherwise return UnreadableText.
        """
        if text is None:
            return State.MISSING
        if text == self.content:
            return State.REGISTERED
        if WRITTEN_BY in text:
            return State.DIFFERS
        if self._calls(text):
            return State.REGISTERED
        return UnreadableText(
            problem=f"is not intent-lsp's file; call `{self.command}` from it, or move it away"
        )

    def installed(self, text: str | None) -> EditedText:
        """Return the text that the file must have: `text` if it is REGISTERED, else `content`.

        Return UnreadableText if the file is somebody else's and does not call our hook.
        """
        state = self.state(text)
        if isinstance(state, UnreadableText):
            return state
        return text if state is State.REGISTERED else self.content

    def uninstalled(self, text: str | None) -> EditedText:
        """Return None, for no file, if `text` has WRITTEN_BY in it; else return `text`."""
        return None if text is not None and WRITTEN_BY in text else text

    def _calls(self, text: str) -> bool:
        if self.module:
            return module_calls_hook(text, self.host)
        return any(calls_hook(line, self.host) for line in text.splitlines())


def plugin_text(*, fail_closed: bool) -> str:
    """Return the source of the JavaScript plug-in for opencode, whose hooks cannot be commands.

    It passes events on to `intent-lsp hook opencode`, refuses a call by an exception, and appends
    what the hook says after a call to the call's output (agents.md). With `fail_closed`, it also
    refuses a call if the hook fails or gives no answer in time.
    """
    text = _PLUGIN.replace("@WRITTEN_BY@", WRITTEN_BY)
    return text.replace("@ON_FAILURE@", _FAIL_CLOSED if fail_closed else "")
