// The journeys: all in one window, in this order; each prints a line of JSON with what it saw.

import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { journeyRunner } from "./runner.mjs";
import { openWindow } from "./window.mjs";

const given = JSON.parse(process.env.JOURNEY_GIVEN);
const INVOICE = "src/billing/invoice.py";
const LOGIN = "src/auth/login.py";
const LEDGER = ".orchestration/agent_trace.jsonl";
const POLICY = ".orchestration/constraints.sidecar.yaml";
const SAVES = 20;
const VIOLATION = "is outside the scope of INT-001 (Login).";

const w = await openWindow(given, INVOICE);
const journey = journeyRunner(w);

/** Return the text for a line of the invoice; for screenshots it is more than the line's number. */
function said(line) {
  return given.words?.[line] ?? line;
}

/** Count the records of a file, in what the ledger says. */
function recordsOf(file, ledger) {
  const whole = ledger.split("\n").slice(0, -1);
  return whole.filter((line) => line.includes(JSON.stringify(file))).length;
}

/** Wait until the ledger has so many records of a file. */
function recorded(file, count) {
  return w.written(LEDGER, (ledger) => recordsOf(file, ledger) >= count);
}

/** Select an intent as a person does: by a click on the status bar, and a choice. */
async function select(active, id) {
  await w.click(active);
  const offered = await w.choices(id);
  await w.choose(id);
  return { offered, status: await w.status(id) };
}

await journey("attach", async () => ({ status: await w.started("No intent") }));

await journey("select", () => select("No intent", "INT-001"));

await journey("in scope", async () => {
  await w.open(LOGIN);
  await w.retype(3, "line three");
  await w.save();
  await recorded(LOGIN, 1);
  return { disk: w.disk(LOGIN), problems: await w.marks(), toasts: await w.toasts() };
});

await journey("out of scope", async () => {
  await w.open(INVOICE);
  await w.retype(3, said("line three"));
  await w.squiggles(1);
  const problems = await w.problems(VIOLATION);
  await w.picture("violation");
  return { problems, disk: w.disk(INVOICE) };
});

await journey("quick fix", async () => {
  const titles = await w.fix(3, "Select intent INT-002");
  await w.squiggles(0);
  return { titles, status: await w.status("INT-002") };
});

await journey("save", async () => {
  await w.save();
  await recorded(INVOICE, 1);
  const rows = await w.view("Ledger", "Billing");
  const badge = await w.described("Ledger", "verified · 2 records");
  await w.picture("ledger");
  return { disk: w.disk(INVOICE), rows, badge, toasts: await w.toasts() };
});

await journey("change", async () => {
  await w.view("Ledger", "Billing");
  const change = await w.diff("Ledger", "invoice.py", said("line three"));
  await w.open(INVOICE);
  return change;
});

await journey("agent", async () => {
  await select("INT-002", "INT-001");
  const [program, ...words] = given.agent;
  await promisify(execFile)(program, words, { cwd: given.root });
  await w.squiggles(1);
  await w.shows(said("line seven"));
  await recorded(INVOICE, 2);
  return { unsaved: await w.unsaved(), problems: await w.problems(VIOLATION) };
});

await journey("twenty saves", async () => {
  await w.open(LOGIN);
  for (let save = 1; save <= SAVES; save += 1) {
    await w.retype(5, `save ${save}`);
    await w.save();
  }
  await recorded(LOGIN, 1 + SAVES);
  return { disk: w.disk(LOGIN), toasts: await w.toasts() };
});

await journey("block", async () => {
  w.write(POLICY, "sidecar:\n  enforcement: block\n");
  await w.open(INVOICE);
  const before = w.disk(INVOICE);
  await w.retype(5, said("line five"));
  await w.squiggles(2);
  await w.press("Control+s");
  const asked = await w.toast("Save refused");
  await w.shows(said("line 5"));
  await w.picture("refused");
  await w.answer("Save refused", "Keep draft");
  const refused = { asked, unchanged: w.disk(INVOICE) === before };
  await w.fix(7, "Restore draft");
  await w.shows(said("line five"));
  await w.squiggles(2);
  const restored = { unchanged: w.disk(INVOICE) === before };
  await w.fix(5, "Select intent INT-002");
  await w.status("INT-002");
  await w.squiggles(0);
  await w.save();
  await recorded(INVOICE, 3);
  return { refused, restored, disk: w.disk(INVOICE) };
});

await journey("commands", async () => {
  await w.press("Control+Alt+i");
  const asked = await w.answer("Which intent are you working on?", "INT-001");
  await w.status("INT-001");
  await w.run("Intent: Explain Whether This File May Be Edited");
  await w.shows("may not be edited");
  await w.shows("In the intent's scope");
  return { asked, page: await w.tab() };
});

await journey("restart", async () => {
  await w.run("Intent: Restart Server");
  const { starts } = given;
  await w.written(path.relative(given.root, starts), (text) => text.split("\n").length === 3);
  await w.started("INT-001");
  await w.open(INVOICE);
  await w.retype(1, said("line one"));
  await w.squiggles(1);
  return { problems: await w.problems(VIOLATION) };
});

await w.close();
