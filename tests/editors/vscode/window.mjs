// A window of VS Code in a headless browser, used as a person uses it: by keys, lists, and reading the screen.
//
// Nothing here sleeps: it waits for the page or the disk, and a step that waits too long fails.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const PATIENCE = 30_000; // ms for any one thing to happen
const STARTING = 90_000; // ms for the workbench and the language server to start
const FIXES_ASKED = 5; // times
const BULB = 5_000; // ms for the bulb of a line to appear
const LISTED = 5_000; // ms for a palette that is open to list a command that is known
const SIZE = { width: 1280, height: 800 };
const PICTURE_SIZE = { width: 1000, height: 560 };
const BROWSER = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Open a file of a folder in a new window; `given` is as in journeys.mjs. */
export async function openWindow(given, file) {
  const { chromium } = createRequire(path.join(given.installed, "package.json"))("playwright-core");
  const browser = await chromium.launch({ executablePath: given.chromium, args: BROWSER });
  const page = await browser.newPage({ viewport: given.images ? PICTURE_SIZE : SIZE });
  page.setDefaultTimeout(PATIENCE);
  const server = new URL(given.address);
  const openFile = `vscode-remote://${server.host}${path.join(given.root, file)}`;
  server.searchParams.set("folder", given.root);
  server.searchParams.set("payload", JSON.stringify([["openFile", openFile]]));
  await page.goto(server.href);
  await page.waitForSelector(".view-lines .view-line", { timeout: STARTING });
  return new Window(browser, page, given);
}

class Window {
  constructor(browser, page, given) {
    this.browser = browser;
    this.page = page;
    this.given = given;
    this.clicks = 0;
  }

  /** Count what a person clicks, or does by a key that stands for a click. */
  clicked(times = 1) {
    this.clicks += times;
  }

  close() {
    return this.browser.close();
  }

  press(...keys) {
    return keys.reduce((done, key) => done.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  // Lists that are chosen from ----------------------------------------------------------------

  /** Run a command of the palette by its whole name. */
  async run(title) {
    await this.listed(title);
    await this.press("Enter");
  }

  /** Open the palette with a command of this whole name in front, as soon as the workbench knows one. */
  async listed(title) {
    const row = this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: title }).first();
    // A palette lists what was known as it was opened; an extension may become known later.
    for (let waited = 0; waited < STARTING; waited += LISTED) {
      await this.press("F1");
      await this.page.locator(".quick-input-widget:visible input").pressSequentially(title);
      const found = await row.waitFor({ timeout: LISTED }).then(() => true, () => false);
      if (found) return;
      await this.leave();
    }
    throw new Error(`the palette never lists “${title}”`);
  }

  /** Wait until the extension that has this command is known, and close the palette again. */
  async knows(title) {
    await this.listed(title);
    await this.leave();
  }

  /** Leave the list that is open without choosing from it. */
  async leave() {
    await this.press("Escape");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** Put this into the box that is open, after what is in it, and accept it. */
  async enter(title, text) {
    const box = this.page.locator(".quick-input-widget:visible", { hasText: title });
    await box.waitFor();
    const input = box.locator("input");
    await input.fill(text);
    await this.press("Enter");
    this.clicked();
    await box.waitFor({ state: "hidden" });
  }

  /** Type into the list that is open, and take the row that this finds. */
  async choose(text, row = text) {
    const input = this.page.locator(".quick-input-widget:visible input");
    await input.pressSequentially(text);
    await this.page
      .locator(".quick-input-list .monaco-list-row.focused", { hasText: row })
      .first()
      .waitFor();
    await this.press("Enter");
  }

  /** Read the rows of the list that is open, once one has these words. */
  async choices(words) {
    const rows = this.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row");
    await rows.filter({ hasText: words }).first().waitFor();
    return rows.evaluateAll((found) => found.map((row) => row.getAttribute("aria-label")));
  }

  // The editor --------------------------------------------------------------------------------

  /** Show a file of the folder: by its tab, or by its path in the list of files. */
  async open(file) {
    const name = file.split("/").at(-1);
    const named = `[data-resource-name="${name}"]`;
    const tab = this.page.locator(`.tab${named}`);
    if (await tab.count()) {
      await tab.click();
    } else {
      await this.press("Control+p");
      // A whole path is looked up on the disk, so that it need not wait for a search.
      await this.choose(path.join(this.given.root, file), name);
    }
    await this.page.locator(`.tab.active${named}`).waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
  }

  /** Go to a line, counted from 1, and put this in its place. */
  async retype(line, text) {
    await this.type(line, text);
    await this.changed();
  }

  /** Wait until the editor holds something unsaved. */
  changed() {
    return this.page.locator(".tab.active.dirty").waitFor();
  }

  /** The same, where the editor may have saved it by now. */
  async type(line, text) {
    await this.go(line);
    await this.press("Shift+End");
    await this.page.keyboard.insertText(text);
    await this.shows(text);
  }

  async go(line) {
    await this.press("Control+g");
    await this.choose(String(line), new RegExp(`go to line ${line}\\b`, "i"));
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    // The list is gone before the keys are the editor's again.
    await this.page.locator(".editor-instance .monaco-editor.focused").first().waitFor();
    await this.status(new RegExp(`^\\s*Ln\\s${line},\\sCol\\s1\\s*$`));
  }

  /** Put the cursor at a place; line and column count from 1. */
  async at(line, column) {
    await this.press("Control+g");
    await this.choose(`${line}:${column}`, /go to line/i);
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await this.page.locator(".editor-instance .monaco-editor.focused").first().waitFor();
    await this.status(new RegExp(`^\\s*Ln\\s${line},\\sCol\\s${column}\\s*$`));
  }

  /** Type at the cursor, key by key, as a person does. */
  keys(text) {
    return this.page.keyboard.type(text);
  }

  /** Read what is proposed at the cursor, once one of the proposals is this. */
  async proposals(label, { asked = false } = {}) {
    if (asked) await this.press("Control+Space");
    const rows = this.page.locator(".suggest-widget.visible .monaco-list-row");
    await rows.locator(".label-name", { hasText: label }).first().waitFor();
    return rows.locator(".label-name").allInnerTexts();
  }

  /** Accept a proposal by its label: of those that are shown, the one the person moves to. */
  async accept(label) {
    const rows = this.page.locator(".suggest-widget.visible .monaco-list-row");
    const focused = this.page.locator(".suggest-widget.visible .monaco-list-row.focused");
    for (const _ of await rows.all()) {
      if ((await focused.locator(".label-name").innerText()).trim() === label) break;
      await this.press("ArrowDown");
    }
    await this.press("Enter");
    this.clicked();
  }

  /** Ask what is known of the place of the cursor, and read it once it has these words. */
  async hover(words) {
    await this.press("Control+k", "Control+i");
    const shown = this.page.locator(".monaco-hover:visible", { hasText: words }).first();
    await shown.waitFor();
    const said = await shown.innerText();
    await this.press("Escape");
    return said;
  }

  /** Read the code lenses that are shown, once one has these words. */
  async lenses(words) {
    const links = this.page.locator(".editor-instance .codelens-decoration");
    await links.filter({ hasText: words }).first().waitFor();
    return links.allInnerTexts();
  }

  /** Press a code lens: of those with these words, the first. */
  async pressLens(words) {
    await this.page.locator(".editor-instance .codelens-decoration a", { hasText: words }).first().click();
    this.clicked();
  }

  /** Read the rows of the peek view that is open, once one has these words. */
  async peek(words) {
    const rows = this.page.locator(".peekview-widget .monaco-list-row");
    await rows.filter({ hasText: words }).first().waitFor();
    return rows.allInnerTexts();
  }

  /** Rename what is at the cursor. */
  async rename(to) {
    await this.press("F2");
    const input = this.page.locator(".rename-box input:visible, .rename-input:visible").first();
    await input.waitFor();
    await input.fill(to);
    await this.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /** Read the text of the editor that is shown, as far as it is on the screen. */
  async lines() {
    const lines = this.page.locator(".editor-instance .view-lines .view-line");
    const tops = await lines.evaluateAll((found) => found.map((line) => [line.offsetTop, line.innerText]));
    return tops.sort((a, b) => a[0] - b[0]).map(([, text]) => text.replaceAll("\u00a0", " "));
  }

  /** Wait until the text of the editor has these words. */
  shows(words) {
    return this.page.locator(".editor-instance .view-line", { hasText: words }).first().waitFor();
  }

  /** Save, and wait until the editor holds nothing unsaved. */
  async save() {
    await this.press("Control+s");
    this.clicked();
    await this.page.locator(".tab.active:not(.dirty)").waitFor();
  }

  /** Wait for so many squiggles of this severity in the editor that is shown. */
  squiggles(count, severity = "error") {
    return this.page.waitForFunction(
      ([name, wanted]) => document.querySelectorAll(`.editor-instance .squiggly-${name}`).length === wanted,
      [severity, count],
    );
  }

  /** Take the quick fix of a line whose title has these words; give the titles of all. */
  async fix(line, words) {
    await this.go(line);
    const titles = await (await this.fixes()).allInnerTexts();
    const focused = this.page.locator(".action-widget .monaco-list-row.focused", { hasText: words });
    // By keys: the workbench swallows clicks on this list.
    for (const _ of titles) {
      if (await focused.count()) break;
      await this.press("ArrowDown");
    }
    await focused.waitFor();
    await this.press("Enter");
    this.clicked(2);
    await this.page.locator(".action-widget").first().waitFor({ state: "hidden" });
    return titles;
  }

  /** Ask for the quick fixes of the place of the cursor; give their rows. */
  async fixes() {
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    const none = this.page.locator(".monaco-editor-overlaymessage");
    for (let asked = 0; asked < FIXES_ASKED; asked += 1) {
      // What the editor asks for its bulb drops what a key asks at that moment. Where it has asked
      // already, and shows no bulb for that, there is nothing to wait for.
      await this.page.waitForFunction(bulbIsShown, undefined, { timeout: BULB }).catch(() => undefined);
      await this.press("Control+.");
      await rows.or(none).first().waitFor();
      if (await rows.count()) return rows;
      // It was dropped, and the editor says that there is nothing. A person asks again.
      await this.press("Escape");
      await none.waitFor({ state: "hidden" });
    }
    throw new Error("there are no quick fixes");
  }

  // What it shows -----------------------------------------------------------------------------

  /** Wait for a status bar item with these words, and give what it says. */
  async status(words, timeout = PATIENCE) {
    const item = this.page.locator(".statusbar-item:visible", { hasText: words }).first();
    await item.waitFor({ timeout });
    return (await item.innerText()).trim();
  }

  /** Wait until the server is there. */
  started(words) {
    return this.status(words, STARTING);
  }

  /** Read what all the items of the status bar say. */
  async statuses() {
    return (await this.page.locator(".statusbar-item:visible").allInnerTexts()).map((each) => each.trim());
  }

  /** Press a status bar item. */
  async click(words) {
    await this.status(words);
    await this.page.locator(".statusbar-item:visible", { hasText: words }).first().click();
  }

  /** Read the rows of the Problems panel, once one has these words. */
  async problems(words) {
    await this.run("Problems: Focus on Problems View");
    const rows = this.page.locator(".markers-panel .monaco-list-row");
    await rows.filter({ hasText: words }).first().waitFor();
    return rows.allInnerTexts();
  }

  /** Read what the status bar says of problems. */
  marks() {
    return this.page.locator(".statusbar-item[id='status.problems']").getAttribute("aria-label");
  }

  /** Read the name of the tab that is shown. */
  tab() {
    return this.page.locator(".tab.active").first().getAttribute("aria-label");
  }

  /** Count the files that are not saved. */
  unsaved() {
    return this.page.locator(".tab.dirty").count();
  }

  /** Read the toasts that are shown. */
  toasts() {
    return this.page.locator(".notification-toast:visible").allInnerTexts();
  }

  /** Wait for a toast with these words, and give all that it says. */
  toast(words) {
    return this.page.locator(".notification-toast", { hasText: words }).first().innerText();
  }

  /** Wait for a toast with these words, and press a button of it. */
  async answer(words, button) {
    const said = await this.toast(words);
    const toast = this.page.locator(".notification-toast", { hasText: words }).first();
    await toast.locator(".monaco-button", { hasText: button }).first().click();
    await toast.waitFor({ state: "detached" });
    return said;
  }

  /** Read the rows of one of our views, once one has these words. */
  async view(name, words) {
    await this.run(`Intent: Focus on ${name} View`);
    const rows = this.page.locator(`${pane(name)} .monaco-list-row`);
    await rows.filter({ hasText: words }).first().waitFor();
    return rows.evaluateAll((found) => found.map((row) => row.getAttribute("aria-label")));
  }

  /** Click a row of one of our views, read the line of the diff that opens, and close it. */
  async diff(name, words, added) {
    await this.page.locator(`${pane(name)} .monaco-list-row`, { hasText: words }).first().click();
    const editor = this.page.locator(".monaco-diff-editor:visible").first();
    await editor.waitFor();
    await editor.locator(".line-insert").first().waitFor();
    const tab = await this.page.locator(".tab.active").first().getAttribute("aria-label");
    await this.page.locator("[aria-label^='Show Hashes and Chain of This Record']").first().waitFor();
    const lines = await editor.locator(".view-line", { hasText: added }).last().innerText();
    await this.page.locator(".tab.active .codicon-close").first().click();
    await editor.waitFor({ state: "hidden" });
    return { tab, added: lines };
  }

  /** Wait for what a view says of itself beside its name. */
  async described(name, words) {
    const said = this.page.locator(`${pane(name)} .pane-header .description`, { hasText: words });
    await said.waitFor();
    return said.innerText();
  }

  // Pictures ----------------------------------------------------------------------------------

  /** Take pictures for the documentation, where they are wanted, as people with either scheme see it. */
  async picture(name) {
    if (!this.given.images) return;
    for (const [scheme, theme] of [["dark", ".vs-dark"], ["light", ".vs"]]) {
      await this.page.emulateMedia({ colorScheme: scheme });
      await this.page.locator(`.monaco-workbench${theme}`).waitFor();
      const file = path.join(this.given.images, `vscode-${name}-${scheme}.png`);
      await this.page.screenshot({ path: file, animations: "disabled" });
    }
  }

  /** Take a picture of a journey that failed. */
  async failure(name) {
    const picture = path.join(this.given.room, `${name.replaceAll(" ", "-")}.png`);
    await this.page.screenshot({ path: picture });
    return picture;
  }

  // The disk ----------------------------------------------------------------------------------

  exists(file) {
    return fs.existsSync(path.resolve(this.given.root, file));
  }

  disk(file) {
    return fs.readFileSync(path.join(this.given.root, file), "utf8");
  }

  makeDirectory(name) {
    fs.mkdirSync(path.join(this.given.root, name), { recursive: true });
  }

  write(file, text) {
    fs.writeFileSync(path.join(this.given.root, file), text);
  }

  /** Wait until a file of the folder is as `wanted` says. */
  written(file, wanted) {
    const place = path.join(this.given.root, file);
    return new Promise((resolve, reject) => {
      const watcher = fs.watch(path.dirname(place), look);
      const late = setTimeout(() => end(reject, new Error(`${file} never was as it should be`)), PATIENCE);
      function end(how, why) {
        clearTimeout(late);
        watcher.close();
        how(why);
      }
      function look() {
        if (fs.existsSync(place) && wanted(fs.readFileSync(place, "utf8"))) end(resolve);
      }
      // Once it is watched, so that no change falls between.
      look();
    });
  }
}

/** Whether there is a bulb beside the line of the cursor. */
function bulbIsShown() {
  const line = document.querySelector(".editor-instance .line-numbers.active-line-number");
  const bulbs = document.querySelectorAll(".editor-instance [class*=gutter-lightbulb], .editor-instance .lightBulbWidget");
  const top = (shown) => shown.getBoundingClientRect().top;
  return line !== null && [...bulbs].some((bulb) => bulb.clientHeight > 0 && Math.abs(top(bulb) - top(line)) < 2);
}

function pane(name) {
  return `.pane:has(.pane-header[aria-label^="${name}"])`;
}
