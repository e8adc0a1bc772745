// One journey: a window without a server, how a person installs it, and what works afterwards.

import { openWindow } from "./window.mjs";

const given = JSON.parse(process.env.JOURNEY_GIVEN);
const INSTALLING = 600_000; // ms; most of it goes by in the network

const w = await openWindow(given, "src/billing/invoice.py");
const report = { journey: "install" };
try {
  const asked = await w.answer("was not found", "Install it");
  const status = await w.status("No intent", INSTALLING);
  // The message names the next step, and its button takes it.
  const next = await w.answer("the server is installed and runs", "Select Intent…");
  await w.choose("INT-001");
  const selected = await w.status("INT-001");
  await w.run("Intent: Restart Server");
  const again = await w.started("INT-001");
  report.saw = { asked, status, next, selected, again, toasts: await w.toasts() };
} catch (problem) {
  report.wrong = problem.stack;
  report.picture = await w.failure("install");
}
console.log(JSON.stringify(report));
await w.close();
