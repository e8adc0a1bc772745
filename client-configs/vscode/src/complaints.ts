/** What is said when the server is missing, too old, or keeps exiting; and the ways out. */

import * as vscode from 'vscode';
import { Installer } from './installer';
import { complaint, WAYS } from './missing_words';
import { Server } from './server';
import { isGoverned } from './surroundings';

/** Say what is the matter, once for each trouble, where a folder is governed. */
export function complain(server: Server, installer: Installer): vscode.Disposable {
  return server.onDidChange((standing) => {
    const troubled = standing.kind !== 'off' && complaint(standing, vscode.workspace.isTrusted);
    if (troubled && isGoverned()) {
      void explain(server, installer);
    }
  });
}

/** Say what is the matter because somebody asked for it. */
export async function explain(server: Server, installer: Installer): Promise<void> {
  const said = complaint(server.standing, vscode.workspace.isTrusted);
  if (said === undefined) {
    return;
  }
  const chosen = await vscode.window.showWarningMessage(said.text, ...said.ways);
  switch (chosen) {
    case WAYS.install:
    case WAYS.renew:
      await installer.install();
      break;
    case WAYS.settings:
      await vscode.commands.executeCommand(
        'workbench.action.openSettings',
        'intentLsp.server.command',
      );
      break;
    case WAYS.log:
      server.log.show(true);
      break;
    case WAYS.restart:
      await server.restart();
      break;
    case WAYS.trust:
      await vscode.commands.executeCommand('workbench.trust.manage');
      break;
    case undefined:
      break;
  }
}
