// The first day: from a bare folder to a commit; each journey prints a line of JSON with what it saw.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { journeyRunner } from "./runner.mjs";
import { openWindow } from "./window.mjs";

const given = JSON.parse(process.env.JOURNEY_GIVEN);
const LOGIN = "src/auth/login.py";
const INVOICE = "src/billing/invoice.py";
const LEDGER = ".orchestration/agent_trace.jsonl";
const INTENTS = ".orchestration/active_intents.yaml";
const POLICY = ".orchestration/constraints.sidecar.yaml";
const MAP = ".orchestration/intent_map.md";
const SET_UP = "Intent: Set Up This Folder";
const CREATE = "Create an intent for this file and select it";

const w = await openWindow(given, LOGIN);
const journey = journeyRunner(w);

/** Count the records that a ledger has. */
function count(ledger) {
  return ledger.split("\n").length - 1;
}

/** Wait until the ledger has so many records. */
function recorded(records) {
  return w.written(LEDGER, (ledger) => count(ledger) >= records);
}

/** Run git as Ada, now. */
async function git(...words) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_AUTHOR") && !name.startsWith("GIT_COMMITTER")));
  const { stdout } = await promisify(execFile)("git", words, { cwd: given.root, env });
  return stdout;
}

await journey("bare folder", async () => {
  await w.status(/^\s*Ln 1, Col 1\s*$/);
  await w.knows(SET_UP);
  return { statuses: await w.statuses(), toasts: await w.toasts(), started: w.exists(given.starts) };
});

await journey("set up", async () => {
  w.clicks = 0;
  await w.run(SET_UP);
  w.clicked();
  const said = await w.toast("this folder is set up");
  return { said, tab: await w.tab(), status: await w.started("No intent") };
});

await journey("first intent", async () => {
  await w.retype(3, "line three");
  await w.squiggles(1, "warning");
  const titles = await w.fix(3, CREATE);
  await w.enter("What is being worked on?", "Login by token");
  const status = await w.status("Login by token");
  await w.squiggles(0, "warning");
  return { titles, status, tab: await w.tab(), intents: w.disk(INTENTS) };
});

await journey("first save", async () => {
  await w.save();
  await recorded(1);
  return { clicks: w.clicks, problems: await w.marks(), toasts: await w.toasts() };
});

await journey("out of scope", async () => {
  await w.open(INVOICE);
  await w.retype(3, "line three");
  await w.squiggles(1);
  const problems = await w.problems("is outside");
  await w.fix(3, "Show why");
  await w.shows("may not be edited");
  await w.shows("In the intent's scope");
  const why = await w.tab();
  await w.open(INVOICE);
  await w.fix(3, `with ${INVOICE}`);
  await w.squiggles(0);
  await w.save();
  // The first save, the scope that was granted, this save.
  await recorded(3);
  return { problems, why };
});

await journey("auto save", async () => {
  await w.run("File: Toggle Auto Save");
  await w.open(LOGIN);
  const before = count(w.disk(LEDGER));
  for (let typed = 1; typed <= given.typed; typed += 1) {
    const text = `typed ${typed} times`;
    await w.type(5, text);
    await w.written(LOGIN, (disk) => disk.includes(`${text}\n`));
  }
  const during = count(w.disk(LEDGER)) - before;
  await recorded(before + 1);
  return { during, after: count(w.disk(LEDGER)) - before, toasts: await w.toasts() };
});

await journey("record and blame", async () => {
  const rows = await w.view("Ledger", "login.py");
  const badge = await w.described("Ledger", "verified");
  await w.open(LOGIN);
  await w.go(5);
  const blame = await w.status("Login by token, you");
  return { rows, badge, blame };
});

await journey("commit", async () => {
  await w.written(MAP, (map) => map.includes("login.py"));
  await git("add", "--all");
  await git("commit", "-qm", "The first day");
  const clean = await git("status", "--porcelain");
  await w.open(LOGIN);
  await w.go(4);
  await w.go(5);
  const author = await w.status("Login by token, Ada");
  return { clean, after: await git("status", "--porcelain"), author };
});

await journey("block and auto save", async () => {
  w.makeDirectory(".vscode");
  w.write(POLICY, "sidecar:\n  enforcement: block\n");
  const said = await w.answer("Auto Save is on", "Turn Auto Save Off Here");
  await w.written(".vscode/settings.json", (settings) => settings.includes("files.autoSave"));
  return { said, settings: w.disk(".vscode/settings.json") };
});

await w.close();
