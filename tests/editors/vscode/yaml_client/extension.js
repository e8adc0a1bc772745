// An extension that has yaml-language-server beside our server, as most windows with YAML have.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("yamlClient").get("command");
  const server = { command, args: ["--stdio"] };
  client = new LanguageClient("yaml", "YAML", server, { documentSelector: [{ language: "yaml" }] });
  return client.start();
};

exports.deactivate = () => client?.stop();
