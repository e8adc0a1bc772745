/** The installation as the user sees it: progress that can be cancelled, and its outcome. */

import * as vscode from 'vscode';
import { isGoverned, readEnvironment } from './environment';
import { install } from './install';
import { failureText, findPythons, InstallFailure } from './install_plan';
import { Server } from './server';

const TRY_AGAIN = 'Try again';
const LOG = 'Show log';
const SELECT = 'Select Intent…';
const SET_UP = 'Set Up This Folder';

export class Installer implements vscode.Disposable {
  private readonly disposed = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly server: Server,
    /** The path of the wheel that came with the extension. */
    private readonly wheel: string,
  ) {}

  /** Install the server and start it; join an installation that is running. */
  install(): Promise<void> {
    this.running ??= this.installWithProgress().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  dispose(): void {
    this.disposed.abort();
  }

  private async installWithProgress(): Promise<void> {
    const failure = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: 'Intent: installing the server',
        cancellable: true,
      },
      (progress, token) => this.attempt((message) => progress.report({ message }), token),
    );
    if (failure === undefined) {
      await this.server.restart();
      void this.offerNextStep();
    } else {
      void this.showFailure(failure);
    }
  }

  private async attempt(
    onStep: (title: string) => void,
    token: vscode.CancellationToken,
  ): Promise<InstallFailure | undefined> {
    const { log, ownInstallation } = this.server;
    const stop = new AbortController();
    const cancellation = token.onCancellationRequested(() => stop.abort());
    const environment = readEnvironment(ownInstallation);
    try {
      return await install({
        ...ownInstallation,
        wheel: this.wheel,
        pythons: await findPythons(environment),
        onOutput: (text) => log.append(text),
        onStep,
        signal: AbortSignal.any([stop.signal, this.disposed.signal]),
      });
    } finally {
      cancellation.dispose();
    }
  }

  /** Offer to select an intent, or to set the folder up if it is not governed. */
  private async offerNextStep(): Promise<void> {
    if (this.server.state.kind !== 'running') {
      return;
    }
    const governed = isGoverned();
    const next = governed ? SELECT : SET_UP;
    const message = governed
      ? 'Intent: the server is installed and runs. Select the intent that you work for.'
      : 'Intent: the server is installed and runs. No folder of this window is set up yet.';
    if ((await vscode.window.showInformationMessage(message, next)) === next) {
      const command = governed ? 'intentLsp.select' : 'intentLsp.init';
      await vscode.commands.executeCommand(command);
    }
  }

  private async showFailure(failure: InstallFailure): Promise<void> {
    const reason = failureText(failure);
    if (reason === undefined) {
      return;
    }
    const message = `Intent: the server was not installed: ${reason}`;
    const choice = await vscode.window.showErrorMessage(message, TRY_AGAIN, LOG);
    if (choice === TRY_AGAIN) {
      await this.install();
    } else if (choice === LOG) {
      this.server.log.show(true);
    }
  }
}
