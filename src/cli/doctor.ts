/**
 * `postern doctor`: looks at what Postern needs and says what to do about what is missing: the machine, the settings, the
 * service, the key. With `--health` it only asks whether the service takes requests, for health checks of containers.
 */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { type Context, does, examples } from './command.ts';
import { addressOf, keyFrom } from './connection.ts';
import { CommandError, EXIT } from './outcome.ts';
import { json, paint, plain, type Terminal } from './terminal.ts';

interface Finding {
  what: string;
  state: 'good' | 'note' | 'bad';
  says: string;
}

const NODE_MAJOR_MIN = 26;
const FREE_BYTES_MIN = 1 << 30;
const SKEW_MS_MAX = 30_000;
const ANSWER_WITHIN_MS = 3_000;

export function doctorCommand(parent: Command, context: Context): void {
  const command = parent
    .command('doctor')
    .description(
      'Looks at the machine, the settings, the service and the key, and says what to do. Ends with 1 when something is wrong.',
    )
    .option('--health', 'only ask whether the service takes requests');
  examples(command, '$ postern doctor', '$ postern doctor --health   # HEALTHCHECK of a container');
  does<{ health?: boolean }>(command, context, async (options) => {
    const { terminal } = context;
    const url = addressOf(terminal, options.url ?? localAddress(terminal));
    const service = await lookAtService(url);
    const findings =
      options.health === true
        ? service
        : [machine(), ...settings(terminal), ...service, ...(await lookAtKey(terminal, url))];
    if (options.json === true) await terminal.out(json(findings));
    else await terminal.out(findings.map((one) => shown(terminal, one)).join(''));
    return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.ok;
  });
}

const MARKS = { good: ['green', '✓'], note: ['yellow', '!'], bad: ['red', '✗'] } as const;

function shown(terminal: Terminal, { what, state, says }: Finding): string {
  const [style, mark] = MARKS[state];
  return `${paint(terminal, style, mark)} ${what.padEnd(8)}  ${plain(says)}\n`;
}

/** Without POSTERN_URL: where a service with the same settings listens. */
function localAddress({ env }: Terminal): string | undefined {
  if (env.POSTERN_URL !== undefined || env.POSTERN_PORT === undefined) return undefined;
  return `http://127.0.0.1:${env.POSTERN_PORT}`;
}

function machine(): Finding {
  const { node } = process.versions;
  const fine = Number(node.split('.')[0]) >= NODE_MAJOR_MIN;
  const says = fine
    ? `Node.js ${node} on ${process.platform} ${process.arch}`
    : `Node.js ${node}; Postern needs ${NODE_MAJOR_MIN} or newer`;
  return { what: 'machine', state: fine ? 'good' : 'bad', says };
}

function settings({ env }: Terminal): Finding[] {
  try {
    const { dataDir } = readConfig(env);
    return [{ what: 'settings', state: 'good', says: 'are valid' }, folder(resolve(dataDir))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((says) => ({ what: 'settings', state: 'bad', says }));
  }
}

/** The data folder, or the nearest one above that is there already. */
function folder(dataDir: string): Finding {
  let there = dataDir;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(there);
    const free = bavail * bsize;
    const says = `${dataDir}${there === dataDir ? '' : ' (to be made)'}, ${(free / 2 ** 30).toFixed(1)} GiB free`;
    if (free >= FREE_BYTES_MIN) return { what: 'data', state: 'good', says };
    return { what: 'data', state: 'note', says: `${says}; make room, before edits and checks are refused with 507` };
  } catch (error) {
    const says = `${there} cannot be written by this user (${(error as NodeJS.ErrnoException).code}); see POSTERN_DATA_DIR`;
    return { what: 'data', state: 'bad', says };
  }
}

const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });

async function lookAtService(url: string): Promise<Finding[]> {
  const what = 'service';
  try {
    const response = await get(`${url}/readyz`);
    const text = await response.text();
    if (response.ok && text.includes('"ok"'))
      return [{ what, state: 'good', says: `${url} takes requests` }, ...clock(response)];
    if (response.status === 503)
      return [{ what, state: 'bad', says: `${url} is there but takes no requests: ${text.slice(0, 200)}` }];
    return [{ what, state: 'bad', says: `${url} is not Postern (HTTP ${response.status}); see POSTERN_URL` }];
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return [
      {
        what,
        state: 'bad',
        says: `nobody answers on ${url} (${cause?.code ?? message}); start it with postern serve, or see POSTERN_URL`,
      },
    ];
  }
}

function clock(response: Response): Finding[] {
  const skew = Math.abs(Date.now() - Date.parse(response.headers.get('date') ?? ''));
  if (!(skew > SKEW_MS_MAX)) return [];
  const says = `differs from the service's by ${Math.round(skew / 1000)} s; licences and limits go by the service's`;
  return [{ what: 'clock', state: 'note', says }];
}

/** What each permission is tried with; nothing is changed. */
const TRIES = [
  ['content:read', '/v1/content?limit=1'],
  ['policies:read', '/v1/policies?limit=1'],
  ['analytics:read', '/v1/access/decisions?limit=1'],
  ['webhooks:manage', '/v1/webhooks?limit=1'],
  ['api_keys:manage', '/v1/api-keys?limit=1'],
] as const;

async function lookAtKey({ env }: Terminal, url: string): Promise<Finding[]> {
  const what = 'key';
  let key: string | undefined;
  try {
    key = keyFrom(env);
  } catch (error) {
    return [{ what, state: 'bad', says: (error as CommandError).message }];
  }
  if (key === undefined)
    return [{ what, state: 'note', says: 'none given; set POSTERN_KEY or POSTERN_KEY_FILE to have it looked at' }];
  const authorization = `Bearer ${key}`;
  try {
    const answers = await Promise.all(TRIES.map(([, path]) => get(url + path, { authorization })));
    const bad = answers.find(({ status }) => status === 401 || status >= 500);
    const refused = answers.find(({ status }) => status === 403);
    if (bad !== undefined) return [{ what, state: 'bad', says: await messageOf(bad) }];
    const held = TRIES.filter((_, i) => answers[i]?.ok === true).map(([permission]) => permission);
    if (held.length > 0) return [{ what, state: 'good', says: `is valid here; may use ${held.join(', ')}` }];
    const why = refused === undefined ? 'may read nothing' : await messageOf(refused);
    return [{ what, state: 'note', says: `is valid; ${why}` }];
  } catch {
    return [{ what, state: 'note', says: 'cannot be looked at while the service does not answer' }];
  }
}

async function messageOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}
