/** The advice about Auto Save in a workspace whose policy refuses saves (`enforcement: block`). */

import * as vscode from 'vscode';
import { WindowState } from './window_state';

const SHOWN_KEY = 'intentLsp.autoSaveSaid';
const TURN_OFF = 'Turn Auto Save Off Here';
const KEEP = 'Keep It';
const MESSAGE =
  'Intent: your team refuses saves that are out of scope (enforcement: block), but only manual'
  + ' saves can be refused. Auto Save is on: what it saves is written anyway, shown as a'
  + ' problem and recorded as a violation.';

/** Show the advice once in a workspace, when Auto Save and `enforcement: block` are both on. */
export function autoSaveAdvice(
  context: vscode.ExtensionContext,
  windowState: WindowState,
): vscode.Disposable {
  return windowState.onDidChange(() => {
    const { status } = windowState;
    const blocks = status?.enabled === true && status.enforcement === 'block';
    if (blocks && isAutoSaveOn() && !context.workspaceState.get<boolean>(SHOWN_KEY)) {
      void showAdvice(context);
    }
  });
}

async function showAdvice(context: vscode.ExtensionContext): Promise<void> {
  await context.workspaceState.update(SHOWN_KEY, true);
  const choice = await vscode.window.showWarningMessage(MESSAGE, TURN_OFF, KEEP);
  if (choice === TURN_OFF) {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSave', 'off', vscode.ConfigurationTarget.Workspace);
  }
}

function isAutoSaveOn(): boolean {
  return vscode.workspace.getConfiguration('files').get<string>('autoSave', 'off') !== 'off';
}
