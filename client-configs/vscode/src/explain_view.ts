/** The page of an explanation, shown in an editor, which cuts off no text as a message does. */

import * as vscode from 'vscode';
import { explainPage } from './explain_page';
import { Explanation } from './protocol';
import { WindowState } from './window_state';

const SCHEME = 'intent-explanation';

export class ExplainView implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider: vscode.Disposable;
  private readonly pages = new Map<string, string>();

  constructor(private readonly windowState: WindowState) {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: (uri) =>
        this.pages.get(uri.path)
        ?? 'VS Code was reloaded; run the command again to see this page.\n',
    });
  }

  dispose(): void {
    this.provider.dispose();
    this.changed.dispose();
  }

  /** Show whether a file may be edited, by its path below the root. */
  async show(path: string): Promise<void> {
    const explanation = await this.windowState.request<Explanation>('explain', { path });
    const name = path.slice(path.lastIndexOf('/') + 1);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/May ${name} be edited?` });
    this.pages.set(uri.path, explainPage(path, explanation));
    this.changed.fire(uri);
    const page = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(page, { preview: true });
  }
}
