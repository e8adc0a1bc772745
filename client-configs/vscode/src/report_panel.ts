/** The report of the ledger: made by the server's program, shown in a panel, saved where wanted. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { commandLine } from './launch';
import { Outlook } from './outlook';
import { Server } from './server';

const MOST = 64 * 1024 * 1024;
/** A ledger that does not verify has a report that says so, and this exit status. */
const BROKEN = 1;

const run = promisify(execFile);

/** Make the report and show it; the page brings its own policy and needs no network. */
export async function showReport(server: Server, outlook: Outlook): Promise<void> {
  const html = await madeReport(server, outlook);
  const panel = vscode.window.createWebviewPanel(
    'intentLsp.report',
    'Intent report',
    vscode.ViewColumn.Active,
    { enableScripts: true, enableFindWidget: true, localResourceRoots: [] },
  );
  panel.webview.html = html;
}

/** Make the report and write it where the person wants it. */
export async function saveReport(server: Server, outlook: Outlook): Promise<void> {
  const root = outlook.root;
  const beside = root && vscode.Uri.joinPath(root, '..', 'intent-report.html');
  const target = await vscode.window.showSaveDialog({
    filters: { HTML: ['html'] },
    ...(beside ? { defaultUri: beside } : {}),
  });
  if (target) {
    const html = await madeReport(server, outlook);
    await vscode.workspace.fs.writeFile(target, Buffer.from(html, 'utf8'));
  }
}

async function madeReport(server: Server, outlook: Outlook): Promise<string> {
  const { standing } = server;
  const root = outlook.root;
  if (standing.kind !== 'running' || !root) {
    throw new Error('this workspace is not governed');
  }
  const words = ['trace', 'report', '--html', '-', '--root', root.fsPath];
  const [program, ...rest] = commandLine(standing.launch, ...words);
  try {
    const options = { cwd: server.directory, maxBuffer: MOST, encoding: 'utf8' as const };
    return (await run(program, rest, options)).stdout;
  } catch (error) {
    const ended = error as { readonly code?: unknown; readonly stdout?: string };
    if (ended.code === BROKEN && ended.stdout) {
      return ended.stdout;
    }
    throw error;
  }
}
