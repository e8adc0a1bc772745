/** The entry point: creates and connects the parts of the extension when VS Code activates it. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { autoSaveAdvice } from './auto_save';
import { startWhereGoverned } from './auto_start';
import { BlameItem } from './blame_item';
import { ChangeView } from './change_view';
import { registerCommands } from './commands';
import { ExplainView } from './explain_view';
import { Installer } from './installer';
import { IntentsView } from './intents_view';
import { LedgerView } from './ledger_view';
import { RecordPanel } from './record_panel';
import { Server } from './server';
import { reportServerProblems } from './server_problems';
import { StatusItem } from './status_item';
import { WindowState } from './window_state';

export function activate(context: vscode.ExtensionContext): void {
  const storage = context.globalStorageUri.fsPath;
  mkdirSync(storage, { recursive: true });
  const { version } = context.extension.packageJSON as { readonly version: string };
  const server = new Server({ storage, version });
  const wheel = join(context.extensionPath, 'bundled', `intent_lsp-${version}-py3-none-any.whl`);
  const installer = new Installer(server, wheel);
  const windowState = new WindowState(server);
  const ledger = new LedgerView(windowState);
  const record = new RecordPanel(windowState);
  const change = new ChangeView(server, windowState);
  const explanation = new ExplainView(windowState);
  context.subscriptions.push(
    server,
    installer,
    windowState,
    ledger,
    record,
    change,
    explanation,
    new StatusItem(server, windowState),
    new IntentsView(windowState),
    new BlameItem(windowState),
    reportServerProblems(server, installer),
    ...registerCommands({ server, installer, windowState, ledger, record, change, explanation }),
    autoSaveAdvice(context, windowState),
    startWhereGoverned(server),
  );
}
