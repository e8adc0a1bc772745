// Starts what is measured, and reports after how many milliseconds it showed a first diagnostic.

const net = require("node:net");
const vscode = require("vscode");

/** What to start (`extension`: its id; `command`: that of a server), and where to report. */
const given = JSON.parse(process.env.START_WATCH);

exports.activate = function () {
  const page = vscode.Uri.file(given.file);
  const began = performance.now();
  const shown = vscode.languages.onDidChangeDiagnostics(() => {
    if (vscode.languages.getDiagnostics(page).length === 0) return;
    shown.dispose();
    report({ ms: performance.now() - began });
  });
  start().catch((problem) => report({ problem: String(problem) }));
  // In an editor, as where a window opens on the file that a person left.
  void vscode.window.showTextDocument(page);
};

async function start() {
  if (given.command) {
    await require("./client.js").start(given.command);
    return;
  }
  const extension = vscode.extensions.getExtension(given.extension);
  if (extension === undefined) throw new Error(`${given.extension} is not installed`);
  if (extension.isActive) throw new Error(`${given.extension} was started before it was measured`);
  await extension.activate();
}

/** Report; the connection ends with this process, so that its end can be waited for. */
function report(result) {
  net.createConnection(given.socket).write(`${JSON.stringify(result)}\n`);
}
