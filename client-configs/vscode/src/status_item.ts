/** The status bar item with the active intent, or with a problem of the server. */

import * as vscode from 'vscode';
import { Label, statusLabel } from './labels';
import { Server, ServerState } from './server';
import { WindowState } from './window_state';

/** Puts the item to the right of the branch. */
const PRIORITY = 50;
const NO_SERVER = '$(warning) Intent: no server';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'intentLsp.status',
    vscode.StatusBarAlignment.Left,
    PRIORITY,
  );
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly windowState: WindowState,
  ) {
    this.item.name = 'Active intent';
    const show = (): void => this.show();
    server.onDidChange((state) => void setContextKeys(state));
    this.disposables = [this.item, server.onDidChange(show), windowState.onDidChange(show)];
    this.show();
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private show(): void {
    const { state } = this.server;
    const problem = problemLabel(state);
    const { status, intents } = this.windowState;
    const label = problem ?? (status && statusLabel(status, intents));
    if (!label) {
      this.item.hide();
      return;
    }
    this.item.text = label.text;
    this.item.tooltip = label.tooltip;
    this.item.command = problem ? 'intentLsp.whatIsMissing' : 'intentLsp.select';
    this.item.backgroundColor = label.warns
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.accessibilityInformation = { label: `Intent: ${label.tooltip}` };
    this.item.show();
  }
}

/** Set the context keys by which menus and views depend on the state of the server. */
async function setContextKeys(state: ServerState): Promise<void> {
  const running = state.kind === 'running';
  await vscode.commands.executeCommand('setContext', 'intentLsp.running', running);
  const hasProblem = problemLabel(state) !== undefined;
  await vscode.commands.executeCommand('setContext', 'intentLsp.troubled', hasProblem);
}

function problemLabel(state: ServerState): Label | undefined {
  switch (state.kind) {
    case 'missing':
      return { text: NO_SERVER, tooltip: 'No server found', warns: true };
    case 'foreign':
      return { text: NO_SERVER, tooltip: 'The server does not fit this extension', warns: true };
    case 'failed':
      return { text: NO_SERVER, tooltip: 'The server does not run: click to see why', warns: true };
    case 'off':
    case 'starting':
    case 'running':
      return undefined;
  }
}
