// One journey: a window where no server is, the way out of that, and what works after; in one line of JSON each.

import { openWindow } from "./window.mjs";

const given = JSON.parse(process.env.JOURNEY_GIVEN);
const INSTALLING = 600_000; // ms; most of it goes by in the network

const w = await openWindow(given, "src/billing/invoice.py");
const told = { journey: "install" };
try {
  const asked = await w.answer("was not found", "Install it");
  const status = await w.status("No intent", INSTALLING);
  // The message names the next step, and its button takes it.
  const next = await w.answer("the server is installed and runs", "Select Intent…");
  await w.choose("INT-001");
  const selected = await w.status("INT-001");
  await w.run("Intent: Restart Server");
  const again = await w.started("INT-001");
  told.saw = { asked, status, next, selected, again, toasts: await w.toasts() };
} catch (problem) {
  told.wrong = problem.stack;
  told.picture = await w.failure("install");
}
console.log(JSON.stringify(told));
await w.close();
