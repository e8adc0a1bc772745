/** What automatic saves mean where refused saves are turned back: said once, with a way out. */

import * as vscode from 'vscode';
import { Outlook } from './outlook';

const SAID = 'intentLsp.autoSaveSaid';
const TURN_OFF = 'Turn Auto Save Off Here';
const KEEP = 'Keep It';
const WORDS =
  'Intent: your team refuses saves that are out of scope (enforcement: block), but only manual'
  + ' saves can be refused. Auto Save is on: what it saves is written anyway, shown as a'
  + ' problem and recorded as out of scope.';

/** Say it where both are on, once a workspace. */
export function autoSaveAdvice(
  context: vscode.ExtensionContext,
  outlook: Outlook,
): vscode.Disposable {
  return outlook.onDidChange(() => {
    const blocks = outlook.status?.enabled === true && outlook.status.enforcement === 'block';
    if (blocks && isOn() && !context.workspaceState.get<boolean>(SAID)) {
      void say(context);
    }
  });
}

async function say(context: vscode.ExtensionContext): Promise<void> {
  await context.workspaceState.update(SAID, true);
  const chosen = await vscode.window.showWarningMessage(WORDS, TURN_OFF, KEEP);
  if (chosen === TURN_OFF) {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'off', vscode.ConfigurationTarget.Workspace);
  }
}

function isOn(): boolean {
  return vscode.workspace.getConfiguration('files').get<string>('autoSave', 'off') !== 'off';
}
