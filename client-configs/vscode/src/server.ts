/** The server's life: chosen, started, restarted, stopped; one for all folders of a window. */

import * as vscode from 'vscode';
import { CloseAction, CloseHandlerResult, LanguageClient, State } from 'vscode-languageclient/node';
import { clientOf } from './client';
import { choose, isLaunch, Launch, Missing, Own } from './launch';
import { said } from './said';
import { surroundings } from './surroundings';
import { DID_CHANGE, DID_TRACE } from './wire';

/** How things stand with the server. */
export type Standing =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly launch: Launch; readonly version: string }
  | { readonly kind: 'missing'; readonly missing: Missing }
  | { readonly kind: 'foreign'; readonly launch: Launch; readonly version: string }
  | { readonly kind: 'failed'; readonly launch: Launch; readonly reason: string };

/** The version of the `intent/*` requests that this extension speaks. */
const WIRE = '1';
const ENDS_AT_MOST = 3;
const WITHIN = 180_000;
const START_PATIENCE = 60_000;

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Intent');
  private readonly trace = vscode.window.createOutputChannel('Intent (trace)');
  private readonly changed = new vscode.EventEmitter<Standing>();
  private readonly told = new vscode.EventEmitter<string>();
  private client: LanguageClient | undefined;
  private now: Standing = { kind: 'off' };
  private turn: Promise<void> = Promise.resolve();
  private ends: number[] = [];

  /** Told whenever the standing changes. */
  readonly onDidChange = this.changed.event;
  /** Told of the server's own notifications, by their method. */
  readonly onDidTell = this.told.event;

  constructor(readonly own: Own) {}

  /** Where programs run: no folder of the workspace's. */
  get directory(): string {
    return this.own.storage;
  }

  get standing(): Standing {
    return this.now;
  }

  /** Start the server, or start it anew. */
  restart(): Promise<void> {
    this.ends = [];
    return this.inTurn(async () => {
      this.stand({ kind: 'starting' });
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      this.stand({ kind: 'off' });
    });
  }

  /** Wait until what was begun is done: the server runs, or cannot. */
  settled(): Promise<void> {
    return this.turn;
  }

  /** Ask the server; fails where none runs. */
  async ask<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R> {
    if (!this.client || this.now.kind !== 'running') {
      throw new Error('the server is not running');
    }
    // Without a token, a place that is left empty would count as a second parameter.
    return token
      ? this.client.sendRequest<R>(method, params, token)
      : this.client.sendRequest<R>(method, params);
  }

  dispose(): void {
    void this.stop();
    for (const each of [this.changed, this.told, this.log, this.trace]) {
      each.dispose();
    }
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step, step);
    return this.turn;
  }

  private stand(standing: Standing): void {
    this.now = standing;
    this.changed.fire(standing);
  }

  private async begin(): Promise<void> {
    const chosen = await choose(surroundings(this.own));
    if (!isLaunch(chosen)) {
      this.log.appendLine(`No server found. Looked at: ${chosen.looked.join(', ') || '(nothing)'}`);
      this.stand({ kind: 'missing', missing: chosen });
      return;
    }
    this.log.appendLine(`Starting (${chosen.source}): ${chosen.argv.join(' ')}`);
    const client = clientOf(chosen, {
      log: this.log,
      trace: this.trace,
      directory: this.directory,
      closed: () => this.closed(client, chosen),
    });
    this.client = client;
    this.listen(client);
    try {
      await inTime(client.start());
    } catch (error) {
      await this.end();
      this.stand({ kind: 'failed', launch: chosen, reason: said(error) });
      return;
    }
    this.greet(client, chosen);
  }

  private listen(client: LanguageClient): void {
    for (const method of [DID_CHANGE, DID_TRACE]) {
      client.onNotification(method, () => this.told.fire(method));
    }
  }

  private greet(client: LanguageClient, launch: Launch): void {
    const answer = client.initializeResult;
    const version = answer?.serverInfo?.version ?? '(unknown)';
    const experimental: { intent?: { version?: string } } | undefined =
      answer?.capabilities.experimental;
    const speaks = experimental?.intent?.version === WIRE;
    this.stand({ kind: speaks ? 'running' : 'foreign', launch, version });
  }

  private closed(client: LanguageClient, launch: Launch): CloseHandlerResult {
    if (client !== this.client) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    const moment = Date.now();
    this.ends = [...this.ends.filter((end) => moment - end < WITHIN), moment];
    if (this.now.kind === 'starting') {
      // Whoever waits for the start is told by its failure.
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    if (this.ends.length > ENDS_AT_MOST) {
      this.stand({ kind: 'failed', launch, reason: 'it keeps exiting' });
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.greetAgain(client, launch);
    return { action: CloseAction.Restart, handled: true };
  }

  private greetAgain(client: LanguageClient, launch: Launch): void {
    const again = client.onDidChangeState(({ oldState, newState }) => {
      if (newState === State.Running) {
        again.dispose();
        this.greet(client, launch);
      } else if (oldState === State.Starting && client === this.client) {
        again.dispose();
        this.stand({ kind: 'failed', launch, reason: 'it cannot be started again' });
      }
    });
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.appendLine(`Stopping: ${String(error)}`);
    }
  }
}

/** Wait for a start, but not for ever: a program that is no server may say nothing at all. */
async function inTime(start: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), START_PATIENCE);
  });
  try {
    await Promise.race([start, patience]);
  } finally {
    clearTimeout(timer);
  }
}
