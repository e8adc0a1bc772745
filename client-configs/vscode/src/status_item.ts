/** The status bar item with the active intent, or with what is the matter with the server. */

import * as vscode from 'vscode';
import { Label, statusLabel } from './labels';
import { Outlook } from './outlook';
import { Server, Standing } from './server';

const BESIDE_BRANCH = 50;
const NO_SERVER = '$(warning) Intent: no server';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'intentLsp.status',
    vscode.StatusBarAlignment.Left,
    BESIDE_BRANCH,
  );
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly outlook: Outlook,
  ) {
    this.item.name = 'Active intent';
    const show = (): void => this.show();
    server.onDidChange((standing) => void tellMenus(standing));
    this.parts = [this.item, server.onDidChange(show), outlook.onDidChange(show)];
    this.show();
  }

  dispose(): void {
    for (const part of this.parts) {
      part.dispose();
    }
  }

  private show(): void {
    const { standing } = this.server;
    const trouble = troubleOf(standing);
    const { status, intents } = this.outlook;
    const label = trouble ?? (status && statusLabel(status, intents));
    if (!label) {
      this.item.hide();
      return;
    }
    this.item.text = label.text;
    this.item.tooltip = label.tooltip;
    this.item.command = trouble ? 'intentLsp.whatIsMissing' : 'intentLsp.select';
    this.item.backgroundColor = label.warns
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.accessibilityInformation = { label: `Intent: ${label.tooltip}` };
    this.item.show();
  }
}

/** Tell menus and views, which know the server's standing by these alone. */
async function tellMenus(standing: Standing): Promise<void> {
  const running = standing.kind === 'running';
  await vscode.commands.executeCommand('setContext', 'intentLsp.running', running);
  const troubled = troubleOf(standing) !== undefined;
  await vscode.commands.executeCommand('setContext', 'intentLsp.troubled', troubled);
}

function troubleOf(standing: Standing): Label | undefined {
  switch (standing.kind) {
    case 'missing':
      return { text: NO_SERVER, tooltip: 'No server found', warns: true };
    case 'foreign':
    case 'failed':
      return { text: NO_SERVER, tooltip: 'The server does not run', warns: true };
    case 'off':
    case 'starting':
    case 'running':
      return undefined;
  }
}
