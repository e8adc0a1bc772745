// The floor: a language client that does nothing of its own.

const { LanguageClient } = require("vscode-languageclient/node");

exports.start = function ([command, ...args]) {
  const selector = { documentSelector: [{ scheme: "file" }] };
  return new LanguageClient("bare", "Bare", { command, args }, selector).start();
};
