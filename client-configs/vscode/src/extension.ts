/** The extension: puts its parts together when VS Code activates it. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { autoSaveAdvice } from './auto_save';
import { BlameItem } from './blame_item';
import { ChangeView } from './change_view';
import { registerCommands } from './commands';
import { complain } from './complaints';
import { ExplainView } from './explain_view';
import { Installer } from './installer';
import { IntentsView } from './intents_view';
import { LedgerView } from './ledger_view';
import { Outlook } from './outlook';
import { RecordPanel } from './record_panel';
import { Server } from './server';
import { startWhereGoverned } from './start';
import { StatusItem } from './status_item';

export function activate(context: vscode.ExtensionContext): void {
  const storage = context.globalStorageUri.fsPath;
  mkdirSync(storage, { recursive: true });
  const { version } = context.extension.packageJSON as { readonly version: string };
  const server = new Server({ storage, version });
  const wheel = join(context.extensionPath, 'bundled', `intent_lsp-${version}-py3-none-any.whl`);
  const installer = new Installer(server, wheel);
  const outlook = new Outlook(server);
  const ledger = new LedgerView(outlook);
  const record = new RecordPanel(outlook);
  const change = new ChangeView(server, outlook);
  const explanation = new ExplainView(outlook);
  context.subscriptions.push(
    server,
    installer,
    outlook,
    ledger,
    record,
    change,
    explanation,
    new StatusItem(server, outlook),
    new IntentsView(outlook),
    new BlameItem(outlook),
    complain(server, installer),
    ...registerCommands({ server, installer, outlook, ledger, record, change, explanation }),
    autoSaveAdvice(context, outlook),
    startWhereGoverned(server),
  );
}
