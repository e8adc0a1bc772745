/** An installation as the person sees it: progress that can be stopped, and its end in words. */

import * as vscode from 'vscode';
import { install } from './install';
import { pythons, Trouble, troubleWords } from './install_plan';
import { Server } from './server';
import { isGoverned, surroundings } from './surroundings';

const AGAIN = 'Try again';
const LOG = 'Show log';
const SELECT = 'Select Intent…';
const SET_UP = 'Set Up This Folder';

export class Installer implements vscode.Disposable {
  private readonly end = new AbortController();
  private underway: Promise<void> | undefined;

  constructor(
    private readonly server: Server,
    /** The wheel that came with the extension. */
    private readonly wheel: string,
  ) {}

  /** Install the server because somebody asked for it, and start it; once at a time. */
  install(): Promise<void> {
    this.underway ??= this.once().finally(() => {
      this.underway = undefined;
    });
    return this.underway;
  }

  dispose(): void {
    this.end.abort();
  }

  private async once(): Promise<void> {
    const trouble = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: 'Intent: the server',
        cancellable: true,
      },
      (progress, token) => this.attempt((message) => progress.report({ message }), token),
    );
    if (trouble === undefined) {
      await this.server.restart();
      void this.goOn();
    } else {
      void this.complain(trouble);
    }
  }

  private async attempt(
    tell: (title: string) => void,
    token: vscode.CancellationToken,
  ): Promise<Trouble | undefined> {
    const { log, own } = this.server;
    const stop = new AbortController();
    const heard = token.onCancellationRequested(() => stop.abort());
    const around = surroundings(own);
    try {
      return await install({
        ...own,
        wheel: this.wheel,
        pythons: await pythons(around),
        log: (text) => log.append(text),
        tell,
        stop: AbortSignal.any([stop.signal, this.end.signal]),
      });
    } finally {
      heard.dispose();
    }
  }

  /** Say what comes next. */
  private async goOn(): Promise<void> {
    if (this.server.standing.kind !== 'running') {
      return;
    }
    const governed = isGoverned();
    const next = governed ? SELECT : SET_UP;
    const said = governed
      ? 'Intent: the server is installed and runs. Select the intent that you work for.'
      : 'Intent: the server is installed and runs. This folder is not set up yet.';
    if ((await vscode.window.showInformationMessage(said, next)) === next) {
      const command = governed ? 'intentLsp.select' : 'intentLsp.init';
      await vscode.commands.executeCommand(command);
    }
  }

  private async complain(trouble: Trouble): Promise<void> {
    const words = troubleWords(trouble);
    if (words === undefined) {
      return;
    }
    const said = `Intent: the server was not installed: ${words}`;
    const chosen = await vscode.window.showErrorMessage(said, AGAIN, LOG);
    if (chosen === AGAIN) {
      await this.install();
    } else if (chosen === LOG) {
      this.server.log.show(true);
    }
  }
}
