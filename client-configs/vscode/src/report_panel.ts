/** The report of the ledger: made by the server's program, shown in a panel or saved to a file. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { Server } from './server';
import { noReportText } from './server_problem_text';
import { commandLine } from './server_program';
import { WindowState } from './window_state';

const MAX_OUTPUT = 64 * 1024 * 1024;
/** The exit status of a report on a ledger that does not verify; the report is made anyway. */
const LEDGER_BROKEN = 1;

const run = promisify(execFile);

/** Make the report and show it. Its page has its own content policy and needs no network. */
export async function showReport(server: Server, windowState: WindowState): Promise<void> {
  const html = await makeReport(server, windowState);
  const panel = vscode.window.createWebviewPanel(
    'intentLsp.report',
    'Ledger report',
    vscode.ViewColumn.Active,
    { enableScripts: true, enableFindWidget: true, localResourceRoots: [] },
  );
  panel.webview.html = html;
}

/** Make the report and save it to a file that the user chooses. */
export async function saveReport(server: Server, windowState: WindowState): Promise<void> {
  const root = windowState.root;
  const defaultUri = root && vscode.Uri.joinPath(root, '..', 'intent-report.html');
  const target = await vscode.window.showSaveDialog({
    filters: { HTML: ['html'] },
    ...(defaultUri ? { defaultUri } : {}),
  });
  if (target) {
    const html = await makeReport(server, windowState);
    await vscode.workspace.fs.writeFile(target, Buffer.from(html, 'utf8'));
  }
}

async function makeReport(server: Server, windowState: WindowState): Promise<string> {
  const { state } = server;
  const root = windowState.root;
  if (state.kind !== 'running' || !root) {
    throw new Error(noReportText(state));
  }
  const args = ['trace', 'report', '--html', '-', '--root', root.fsPath];
  const [program, ...rest] = commandLine(state.program, ...args);
  try {
    const cwd = server.workingDirectory;
    const { stdout } = await run(program, rest, { cwd, maxBuffer: MAX_OUTPUT, encoding: 'utf8' });
    return stdout;
  } catch (error) {
    const failure = error as { readonly code?: unknown; readonly stdout?: string };
    if (failure.code === LEDGER_BROKEN && failure.stdout) {
      return failure.stdout;
    }
    throw error;
  }
}
