/** The message about a server that is missing, too old, or keeps exiting, and its remedies. */

import * as vscode from 'vscode';
import { isGoverned } from './environment';
import { Installer } from './installer';
import { Server } from './server';
import { REMEDIES, serverProblem } from './server_problem_text';

/** Show each problem with the server when it arises, if a folder of the window is governed. */
export function reportServerProblems(server: Server, installer: Installer): vscode.Disposable {
  return server.onDidChange((state) => {
    const problem = state.kind !== 'off' && serverProblem(state, vscode.workspace.isTrusted);
    if (problem && isGoverned()) {
      void showServerProblem(server, installer);
    }
  });
}

/** Show the current problem with the server, if there is one, and run the chosen remedy. */
export async function showServerProblem(server: Server, installer: Installer): Promise<void> {
  const problem = serverProblem(server.state, vscode.workspace.isTrusted);
  if (problem === undefined) {
    return;
  }
  const choice = await vscode.window.showWarningMessage(problem.text, ...problem.remedies);
  switch (choice) {
    case REMEDIES.install:
    case REMEDIES.update:
      await installer.install();
      break;
    case REMEDIES.settings:
      await vscode.commands.executeCommand(
        'workbench.action.openSettings',
        server.state.kind === 'off' ? 'intentLsp.enabled' : 'intentLsp.server.command',
      );
      break;
    case REMEDIES.log:
      server.log.show(true);
      break;
    case REMEDIES.restart:
      await server.restart();
      break;
    case REMEDIES.trust:
      await vscode.commands.executeCommand('workbench.trust.manage');
      break;
    case undefined:
      break;
  }
}
