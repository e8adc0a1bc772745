/** The words for a server that cannot be had, each with its ways out. Pure. */

import type { Launch, Missing } from './launch';
import type { Standing } from './server';

export const WAYS = {
  install: 'Install it',
  renew: 'Update it',
  settings: 'Open settings',
  log: 'Show log',
  restart: 'Restart',
  trust: 'Manage trust',
} as const;
export type Way = (typeof WAYS)[keyof typeof WAYS];

export interface Complaint {
  readonly text: string;
  readonly ways: readonly Way[];
}

const INSTALL =
  'The extension can install its own copy. Or install it into the workspace\'s .venv or with '
  + 'pipx, or set its path in the settings.';

/** Say what is the matter; undefined: nothing, or nothing yet. */
export function complaint(standing: Standing, trusted: boolean): Complaint | undefined {
  switch (standing.kind) {
    case 'missing':
      return missing(standing.missing, trusted);
    case 'foreign':
      return {
        text:
          `Intent: ${standing.launch.argv[0]} (version ${standing.version}) does not speak the `
          + 'requests of this extension. Install a version of intent-lsp that matches it.',
        ways: [...repair(standing.launch), WAYS.settings, WAYS.log, WAYS.restart],
      };
    case 'failed':
      return {
        text: `Intent: the server ${standing.launch.argv[0]} does not run: ${standing.reason}.`,
        ways: [...repair(standing.launch), WAYS.restart, WAYS.log, WAYS.settings],
      };
    case 'off':
      return {
        text: 'Intent is off: the setting intentLsp.enabled is false.',
        ways: [WAYS.settings],
      };
    case 'starting':
    case 'running':
      return undefined;
  }
}

function missing({ named, others = [] }: Missing, trusted: boolean): Complaint {
  const ways = [...(trusted ? [] : [WAYS.trust]), WAYS.settings, WAYS.log, WAYS.restart];
  if (named !== undefined) {
    const text = `Intent: ${named}, the program in intentLsp.server.command, cannot be started.`;
    return { text, ways };
  }
  if (others.length > 0) {
    const text =
      `Intent: the server that this extension installed has version ${others.join(', ')}, which no `
      + 'longer fits the extension.';
    return { text, ways: [WAYS.renew, ...ways] };
  }
  const untrusted = trusted
    ? ''
    : ' The workspace is not trusted, so its environments were not looked at.';
  const text = `Intent: the server intent-lsp was not found.${untrusted} ${INSTALL}`;
  return { text, ways: [WAYS.install, ...ways] };
}

/** What the extension has installed itself, it can install again. */
function repair({ source }: Launch): Way[] {
  return source === 'extension' ? [WAYS.renew] : [];
}
