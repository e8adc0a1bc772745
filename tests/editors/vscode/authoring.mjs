// Writing the intents file, with the server of most windows for YAML beside ours.

import { journeyRunner } from "./runner.mjs";
import { openWindow } from "./window.mjs";

const given = JSON.parse(process.env.JOURNEY_GIVEN);
const INTENTS = ".orchestration/active_intents.yaml";

const w = await openWindow(given, INTENTS);
const journey = journeyRunner(w);

/** The number of the line that has these words, from 1. */
function line(words) {
  return w.disk(INTENTS).split("\n").findIndex((each) => each.includes(words)) + 1;
}

await journey("attach", async () => ({ status: await w.started("No intent") }));

await journey("lens", async () => {
  const lenses = await w.lenses("Select");
  await w.pressLens("Select");
  await w.status("INT-001");
  const after = await w.lenses("Selected");
  await w.written(INTENTS, (text) => text.includes("status: IN_PROGRESS\n    owned_scope:\n      - \"src/auth"));
  return { lenses, after, status: await w.status("INT-001") };
});

await journey("path", async () => {
  await w.at(line("src/auth/**"), 22);
  await w.press("Enter");
  await w.keys('- "src/');
  const proposed = await w.proposals("billing/");
  await w.picture("completion");
  await w.accept("billing/");
  await w.keys("*");
  await w.press("Escape");
  await w.shows("src/billing/*");
  const shown = await w.lines();
  await w.save();
  return { proposed, shown: shown.filter((each) => each.includes("src/billing/*")) };
});

await journey("keys", async () => {
  await w.at(line("name: Login"), 16);
  await w.press("Enter");
  const keys = await w.proposals("constraints", { asked: true });
  await w.press("Escape", "Control+z");
  await w.at(line("status: IN_PROGRESS"), 13);
  await w.press("Shift+End", "Delete");
  const words = await w.proposals("BLOCKED", { asked: true });
  await w.press("Escape", "Control+z");
  await w.shows("status: IN_PROGRESS");
  return { keys, words };
});

await journey("hover", async () => {
  await w.at(line("src/auth/**"), 12);
  const glob = await w.hover("2 files");
  await w.at(line("status: IN_PROGRESS"), 15);
  const status = await w.hover("worked on");
  return { glob, status };
});

await journey("files", async () => {
  await w.pressLens("3 files");
  const rows = await w.peek("login.py");
  await w.press("Escape");
  return { rows };
});

await journey("fix", async () => {
  const at = line('"src/billing"');
  await w.squiggles(1, "warning");
  const titles = await w.fix(at, "src/billing/**");
  await w.squiggles(0, "warning");
  await w.save();
  await w.lenses("1 file");
  return { titles, text: w.disk(INTENTS).split("\n")[at - 1] };
});

await journey("rename", async () => {
  await w.at(line("id: INT-002"), 10);
  await w.rename("PAY-7");
  await w.shows("aliases:");
  await w.lenses("Select");
  await w.picture("intents");
  await w.save();
  return { text: w.disk(INTENTS) };
});

await journey("format", async () => {
  await w.at(line("name:   Billing"), 1);
  await w.run("Format Document");
  await w.changed();
  await w.save();
  return { toasts: await w.toasts(), text: w.disk(INTENTS) };
});

await w.close();
