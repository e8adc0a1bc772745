/** The panel with the page of a record; the next record replaces it in the same panel. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { LedgerRecord, TracePage } from './protocol';
import { recordPage } from './record_page';
import { WindowState } from './window_state';

const PAGE_SIZE = 200;
/** A record that is not on one of these pages is not searched for any longer. */
const MAX_PAGES = 25;

export class RecordPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly windowState: WindowState) {}

  /** Show a record: the known one, else the one with this id among the records of a file. */
  async show(id: string, known?: LedgerRecord, uri?: string): Promise<void> {
    const [record, flags] = known ? [known, []] : await this.find(id, uri);
    if (!record) {
      throw new Error(
        `Record ${id} is not among the newest 5,000 that were searched.` +
          ` Run \`intent-lsp trace show ${id}\`.`,
      );
    }
    const panel = this.openPanel();
    panel.title = `Record ${record.id.slice(0, 8)}`;
    panel.webview.html = recordPage(record, flags, randomBytes(16).toString('base64url'));
    panel.reveal(undefined, false);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private async find(
    id: string,
    uri: string | undefined,
  ): Promise<[LedgerRecord | undefined, readonly string[]]> {
    const filter = uri === undefined ? {} : { uri };
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const after = cursor === undefined ? {} : { cursor };
      const params = { ...filter, ...after, limit: PAGE_SIZE };
      const result = await this.windowState.request<TracePage>('trace', params);
      const record = result.records.find((each) => each.id === id);
      if (record) {
        return [record, result.flags[id] ?? []];
      }
      cursor = result.cursor;
      if (cursor === undefined) {
        break;
      }
    }
    return [undefined, []];
  }

  private openPanel(): vscode.WebviewPanel {
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel(
        'intentLsp.record',
        'Record',
        vscode.ViewColumn.Active,
        { enableScripts: false, enableFindWidget: true, localResourceRoots: [] },
      );
      this.panel.onDidDispose(() => {
        this.panel = undefined;
      });
    }
    return this.panel;
  }
}
