/** The panel that shows one record, one panel for all of them. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { Outlook } from './outlook';
import { recordPage } from './record_page';
import { LedgerRecord, TracePage } from './wire';

const PAGE = 200;
const PAGES = 25;

export class RecordPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly outlook: Outlook) {}

  /** Show a record: the one that is given, else the one of this id, looked for in its file. */
  async show(id: string, given?: LedgerRecord, uri?: string): Promise<void> {
    const [record, flags] = given ? [given, []] : await this.find(id, uri);
    if (!record) {
      throw new Error(`There is no record ${id} in the ledger of this workspace.`);
    }
    const panel = this.opened();
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
    const narrowed = uri === undefined ? {} : { uri };
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const after = cursor === undefined ? {} : { cursor };
      const asked = { ...narrowed, ...after, limit: PAGE };
      const told = await this.outlook.ask<TracePage>('trace', asked);
      const record = told.records.find((each) => each.id === id);
      if (record) {
        return [record, told.flags[id] ?? []];
      }
      cursor = told.cursor;
      if (cursor === undefined) {
        break;
      }
    }
    return [undefined, []];
  }

  private opened(): vscode.WebviewPanel {
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
