/** The page of an explanation in an editor, where nothing of it is cut off. */

import * as vscode from 'vscode';
import { explainPage } from './explain_page';
import { Outlook } from './outlook';
import { Explanation } from './wire';

const SCHEME = 'intent-explanation';

export class ExplainView implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider: vscode.Disposable;
  private readonly pages = new Map<string, string>();

  constructor(private readonly outlook: Outlook) {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: (uri) =>
        this.pages.get(uri.path) ?? 'Run the command once more: the window was loaded again.\n',
    });
  }

  dispose(): void {
    this.provider.dispose();
    this.changed.dispose();
  }

  /** Show whether a file of the root may be edited, and why. */
  async show(path: string): Promise<void> {
    const told = await this.outlook.ask<Explanation>('explain', { path });
    const name = path.slice(path.lastIndexOf('/') + 1);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/May ${name} be edited?` });
    this.pages.set(uri.path, explainPage(path, told));
    this.changed.fire(uri);
    const page = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(page, { preview: true });
  }
}
