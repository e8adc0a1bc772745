// Hands each event of opencode to a command, as JSON on its standard input, and throws the reason
// with which the command refuses (exit status 2). The test puts the command in place of "COMMAND".
import { spawnSync } from "node:child_process"

const command = "COMMAND"
const kept = /^(session\.(created|idle|error|deleted|compacted)|file\.edited|permission)/

function hand(event, input, output) {
  const text = JSON.stringify({ event, input, output })
  const words = command.replace("EVENT", event)
  const done = spawnSync("/bin/sh", ["-c", words], { input: text, encoding: "utf8" })
  if (done.status === 2) throw new Error(done.stderr.trim())
}

export const Recorder = async (context) => {
  hand("plugin.load", { directory: context.directory, worktree: context.worktree })
  const pass = (name) => async (input, output) => hand(name, input, output)
  return {
    event: async ({ event }) => {
      if (kept.test(event.type)) hand("event", event)
    },
    "chat.message": pass("chat.message"),
    "permission.ask": pass("permission.ask"),
    "command.execute.before": pass("command.execute.before"),
    "shell.env": pass("shell.env"),
    "tool.execute.before": pass("tool.execute.before"),
    "tool.execute.after": pass("tool.execute.after"),
  }
}
