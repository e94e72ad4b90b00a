/**
 * `postern doctor`: checks the machine, the settings, the service and the key, and says how to fix each fault. With
 * --health it only checks whether the service is ready, for health checks of containers.
 */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { createPostern, type Postern } from '../../client/src/client.ts';
import { PosternError } from '../../client/src/errors.ts';
import type { CallOptions } from '../../client/src/types.ts';
import { StartRefused } from '../db/start-refused.ts';
import { invocation } from '../lib/invocation.ts';
import { paint, plain } from '../lib/terminal-text.ts';
import { ConfigError, readConfig } from '../service/config.ts';
import { type CommandContext, does, examples } from './command.ts';
import { getAddress, readKey } from './connection.ts';
import type { Finding } from './finding.ts';
import { CommandError, EXIT, misused } from './outcome.ts';
import { movedState, reportsState, type ServiceStatus, witnessState } from './status.ts';
import { print, type Terminal } from './terminal.ts';

const NODE_MAJOR_MIN = 26;
const FREE_BYTES_MIN = 1 << 30;
const SKEW_MS_MAX = 30_000;
const TIMEOUT_MS = 3_000;

export function doctorCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('doctor')
    .argument('[site]', 'URL of a page behind a proxy or an adapter that asks Postern; checks that one')
    .description(
      'Checks the machine, the settings, the service and the key, and says how to fix faults. With the URL of a page, asks the adapter in front of it how it is set up. Without one, sends a marked request through its proxy, which Postern always denies, and checks that the URL, the method, the address and the headers of a visitor arrive. Ends with 1 when something is wrong.',
    )
    .option('--health', 'only check whether the service is ready');
  examples(
    command,
    '$ postern doctor',
    '$ postern doctor https://www.example.com/news/',
    '$ postern doctor --health   # HEALTHCHECK of a container',
  );
  does<{ health?: boolean }>(command, context, async (options, site) => {
    const { terminal } = context;
    const url = getAddress(terminal, options.url ?? localAddress(terminal));
    const service = await checkService(url);
    const findings =
      site !== undefined
        ? [...service, ...(await checkBehind(terminal, url, site))]
        : options.health === true
          ? service
          : [
              checkMachine(),
              ...(await checkSettings(terminal)),
              ...service,
              ...(await checkKey(terminal, url)),
              ...(await checkStatus(terminal, url)),
            ];
    await print(terminal, options, findings, () => findings.map((finding) => toText(terminal, finding)).join(''));
    return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.ok;
  });
}

const MARKS = { good: ['green', '✓'], note: ['yellow', '!'], bad: ['red', '✗'] } as const;

function toText(terminal: Terminal, { what, state, says }: Finding): string {
  const [style, mark] = MARKS[state];
  return `${paint(terminal, style, mark)} ${what.padEnd(8)}  ${plain(says)}\n`;
}

/** Without POSTERN_URL, returns the address of a service with the same settings. */
function localAddress({ env }: Terminal): string | undefined {
  if (env.POSTERN_URL !== undefined || env.POSTERN_PORT === undefined) return undefined;
  return `http://127.0.0.1:${env.POSTERN_PORT}`;
}

function checkMachine(): Finding {
  const { node } = process.versions;
  const fine = Number(node.split('.')[0]) >= NODE_MAJOR_MIN;
  const says = fine
    ? `Node.js ${node} on ${process.platform} ${process.arch}`
    : `Node.js ${node}; Postern needs ${NODE_MAJOR_MIN} or newer`;
  return { what: 'machine', state: fine ? 'good' : 'bad', says };
}

async function checkSettings({ env }: Terminal): Promise<Finding[]> {
  try {
    const { dataDir, databaseUrl, clickHouse } = readConfig(env);
    const valid: Finding = { what: 'settings', state: 'good', says: 'are valid' };
    const database = databaseUrl === null ? [] : [await checkDatabase(databaseUrl)];
    const columns = clickHouse === null ? [] : [await checkClickHouse(clickHouse)];
    return [valid, ...database, ...columns, checkFolder(resolve(dataDir))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((says) => ({ what: 'settings', state: 'bad', says }));
  }
}

/** Checks the data folder, or its nearest existing parent. */
function checkFolder(dataDir: string): Finding {
  let existing = dataDir;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(existing);
    const free = bavail * bsize;
    const says = `${dataDir}${existing === dataDir ? '' : ' (to be created)'}, ${(free / 2 ** 30).toFixed(1)} GiB free`;
    if (free >= FREE_BYTES_MIN) return { what: 'data', state: 'good', says };
    return { what: 'data', state: 'note', says: `${says}; free some space, or edits and checks will fail with 507` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { what: 'data', state: 'bad', says: `this user cannot write ${existing} (${code}); see POSTERN_DATA_DIR` };
  }
}

async function checkDatabase(url: string): Promise<Finding> {
  const { host, pathname } = new URL(url);
  const [{ openPostgres }, { Unavailable }] = await Promise.all([
    import('../db/postgres/db.ts'),
    import('../db/db.ts'),
  ]);
  try {
    const db = await openPostgres(url);
    await db.close();
    return { what: 'database', state: 'good', says: `${host}${pathname} answers, and is fit` };
  } catch (error) {
    if (error instanceof StartRefused) return { what: 'database', state: 'bad', says: error.message };
    if (!(error instanceof Unavailable)) throw error;
    const { message } = (error.cause ?? error) as Error;
    return { what: 'database', state: 'bad', says: `${host}${pathname}: ${message}; see POSTERN_DATABASE_URL` };
  }
}

async function checkClickHouse(url: string): Promise<Finding> {
  const [{ openClickHouse }, { placeName }] = await Promise.all([
    import('../decisions/history/clickhouse/store.ts'),
    import('../decisions/history/clickhouse/settings.ts'),
  ]);
  try {
    const store = await openClickHouse(url);
    await store.close();
    return { what: 'columns', state: 'good', says: `ClickHouse ${store.version} at ${placeName(url)} answers` };
  } catch (error) {
    return { what: 'columns', state: 'bad', says: (error as Error).message };
  }
}

async function checkService(url: string): Promise<Finding[]> {
  const bad = (says: string): Finding[] => [{ what: 'service', state: 'bad', says }];
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (response.ok && text.includes('"ok"')) {
      return [{ what: 'service', state: 'good', says: `${url} is ready` }, ...checkClock(response)];
    }
    if (response.status === 503) return bad(`${url} is running but not ready: ${text.slice(0, 200)}`);
    return bad(`${url} is not Postern (HTTP ${response.status}); see POSTERN_URL`);
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return bad(
      `no answer from ${url} (${cause?.code ?? message}); start it with ${invocation()} serve, or see POSTERN_URL`,
    );
  }
}

function checkClock(response: Response): Finding[] {
  const skew = Math.abs(Date.now() - Date.parse(response.headers.get('date') ?? ''));
  if (!(skew > SKEW_MS_MAX)) return [];
  const says = `is ${Math.round(skew / 1000)} s off the service's clock, which decides on licenses and limits`;
  return [{ what: 'clock', state: 'note', says }];
}

type Try = (postern: Postern, call: CallOptions) => PromiseLike<unknown>;

/** A harmless request for each permission. A body without its fields is refused after the permission is checked. */
const TRIES: readonly [permission: string, request: Try][] = [
  ['content:read', (postern) => postern.listContent({ limit: 1 })],
  ['content:write', (postern, call) => postern.createContent({} as never, call)],
  ['policies:read', (postern) => postern.listPolicies({ limit: 1 })],
  ['policies:write', (postern, call) => postern.createPolicy({} as never, call)],
  ['requesters:read', (postern) => postern.listRequesters({ limit: 1 })],
  ['requesters:write', (postern, call) => postern.createLicense({} as never, call)],
  ['access:check', (postern, call) => postern.checkAccess({}, call)],
  ['analytics:read', (postern) => postern.listDecisions({ limit: 1 })],
  ['webhooks:manage', (postern) => postern.listWebhooks({ limit: 1 })],
  ['api_keys:manage', (postern) => postern.listApiKeys({ limit: 1 })],
];

/** Checks a site through its proxy; the key is that of an operator, with `access:check`. */
async function checkBehind({ env }: Terminal, url: string, site: string): Promise<Finding[]> {
  if (!/^https?:\/\//i.test(site) || !URL.canParse(site)) throw misused(`${site} is not the URL of a page.`);
  const key = readKey(env);
  if (key === undefined) return [{ what: 'key', state: 'bad', says: 'not set; set POSTERN_KEY or POSTERN_KEY_FILE' }];
  const { checkSite } = await import('./doctor-site.ts');
  return checkSite(createPostern({ url, key, timeoutMs: TIMEOUT_MS, retries: 0 }), site);
}

async function checkKey({ env }: Terminal, url: string): Promise<Finding[]> {
  const finding = (state: Finding['state'], says: string): Finding[] => [{ what: 'key', state, says }];
  try {
    const key = readKey(env);
    if (key === undefined) return finding('note', 'not set; set POSTERN_KEY or POSTERN_KEY_FILE to have it checked');
    const postern = createPostern({ url, key, timeoutMs: TIMEOUT_MS, retries: 0 });
    const refusals = await Promise.all(
      TRIES.map(([, request]) => findRefusal(request(postern, { idempotencyKey: false }))),
    );
    const bad = refusals.find(
      (refusal) => refusal && (refusal.status === 401 || refusal.status >= 500 || refusal.code === 'ip_not_allowed'),
    );
    if (bad !== undefined && bad.status >= 500) return finding('note', `cannot be checked: ${bad.message}`);
    if (bad !== undefined) return finding('bad', bad.message);
    const held = TRIES.filter((_, i) => refusals[i]?.status !== 403).map(([permission]) => permission);
    const all = held.length === TRIES.length ? 'everything' : held.join(', ') || 'nothing';
    return finding('good', `is valid; may use ${all}`);
  } catch (error) {
    if (error instanceof CommandError) return finding('bad', error.message);
    return finding('note', 'cannot be checked while the service does not answer');
  }
}

/** Says nothing where the key may not read the status. */
async function checkStatus({ env }: Terminal, url: string): Promise<Finding[]> {
  try {
    const key = readKey(env);
    if (key === undefined) return [];
    const status = await createPostern({ url, key, timeoutMs: TIMEOUT_MS, retries: 0 }).getStatus();
    const { date, failures, error } = status.directory;
    const crawlers: Finding =
      failures === 0
        ? { what: 'crawlers', state: 'good', says: `directory of ${date}` }
        : { what: 'crawlers', state: 'note', says: `directory of ${date}, which cannot be renewed: ${error ?? ''}` };
    return [
      { what: 'reports', state: status.columns.problem === null ? 'good' : 'bad', says: reportsState(status) },
      ...(status.ledger.moved === 0
        ? []
        : [{ what: 'records', state: status.ledger.lost === 0 ? 'good' : 'bad', says: movedState(status) } as const]),
      crawlers,
      ...status.witnesses.map(toWitnessFinding),
    ];
  } catch {
    return [];
  }
}

function toWitnessFinding({ name, size, behind, forked, error }: ServiceStatus['witnesses'][number]): Finding {
  const state = forked ? 'bad' : error === null ? 'good' : 'note';
  return { what: 'witness', state, says: `${name} ${witnessState({ size, behind, error })}` };
}

/** Returns the service's refusal; undefined when it accepted the request. */
async function findRefusal(request: PromiseLike<unknown>): Promise<PosternError | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (error instanceof PosternError) return error;
    throw error;
  }
}
