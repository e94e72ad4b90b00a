/**
 * Simulated power cuts: the service runs once under strace. From its log of writes, fsyncs and answers, possible
 * contents of the disk are built for many times, opened, and compared with the answers up to then.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Answer } from '../../kit/answer.ts';
import { launch, launched, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { parseDecisionId } from '../../src/decisions/ledger/decision.ts';
import { Disk, type DiskEvent, FATES, readDiskLog, traceDisk } from './disk-log.ts';

export interface CutOptions {
  cuts: number;
  seed: number;
  /** Other settings of the connection, to show what the real ones prevent. */
  pragmas?: string;
  /** Images that the service itself is started on. */
  starts?: number;
  requests?: number;
}

export interface CutFigures {
  cuts: number;
  answers: number;
  /** Cuts after which something acknowledged was not there, or the file was damaged. */
  lossy: number;
  damaged: number;
  started: number;
  facts: number;
}

const CLIENTS = 8;
const RECORDS = ['postern.db', 'postern.db-wal', 'postern.db-journal'];

/** A fact that a client received and that must be found. */
type Fact =
  | { kind: 'decision'; seq: number }
  | { kind: 'content'; id: string; revision: number }
  | { kind: 'policy'; id: string; version: number };

export async function runPowerCuts(options: CutOptions): Promise<CutFigures> {
  const { cuts, seed, pragmas, starts = 0, requests = 400 } = options;
  const random = seeded(seed);
  const key = newTestKey();
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const log = join(folder.path, 'disk.log');
  mkdirSync(dataDir);
  await runTraced(dataDir, log, key, random, requests, pragmas);
  const events = await readDiskLog(log, dataDir, (name) => RECORDS.includes(name));
  rmSync(log);

  const answers = events.flatMap((event, index) => (event.kind === 'answer' ? [index] : []));
  assert.ok(answers.length >= requests, `only ${answers.length} answers in the log of ${requests} requests`);
  // Half of the cuts are right after an answer: the promise has just been given.
  const moments = Array.from({ length: cuts }, () =>
    random.chance(0.5) ? random.pick(answers) : random.int(0, events.length - 1),
  ).toSorted((a, b) => a - b);
  const startAt = new Set(Array.from({ length: starts }, () => random.int(Math.floor(cuts / 4), cuts - 1)));

  const figures: CutFigures = { cuts, answers: answers.length, lossy: 0, damaged: 0, started: 0, facts: 0 };
  const disk = new Disk();
  const facts: Fact[] = [];
  let next = 0;
  for (const [n, moment] of moments.entries()) {
    for (; next <= moment; next++) {
      const event = events[next] as DiskEvent;
      disk.take(event);
      if (event.kind === 'answer') facts.push(...factsIn(event.text));
    }
    const image = join(folder.path, 'image');
    mkdirSync(image);
    for (const [name, bytes] of disk.cut(random.pick(FATES), random)) writeFileSync(join(image, name), bytes);
    const missing = missingIn(join(image, 'postern.db'), facts);
    if (missing === 'damaged') figures.damaged++;
    if (missing === 'damaged' || missing > 0) figures.lossy++;
    if (startAt.has(n) && missing === 0) {
      await startOn(image, key, facts);
      figures.started++;
    }
    rmSync(image, { recursive: true });
  }
  figures.facts = facts.length;
  return figures;
}

/** Everything but deletions, so that what was acknowledged once must be there ever after. */
async function runTraced(
  dataDir: string,
  log: string,
  key: string,
  random: Random,
  requests: number,
  pragmas: string | undefined,
): Promise<void> {
  const service = launch({
    dataDir,
    key,
    wrap: traceDisk(log),
    ...(pragmas === undefined
      ? {}
      : {
          nodeOptions: ['--import', new URL('./settings-hack.ts', import.meta.url).href],
          env: { POSTERN_TEST_PRAGMAS: pragmas },
        }),
  });
  await service.ready;
  const rules = [{ action: 'allow', rateLimit: { requests: 30, period: 'hour' } }];
  const policy = await made(service, 'POST', '/v1/policies', { name: 'p', rules });
  await made(service, 'POST', '/v1/content', article('first', policy.body.id as string));
  let left = requests;
  const client = async (own: Random, name: string): Promise<void> => {
    for (let i = 0; left > 0; i++, left--) {
      const check = { contentId: 'first', requesterId: `r${own.int(0, 9)}`, purpose: `${name}.${i}` };
      // Beside the clients, an erasure writes what a power cut may undo.
      if (own.chance(0.05)) await service.ask('POST', `/v1/requesters/r${own.int(0, 9)}/erase`, { body: {} });
      const kind = own.next();
      const idempotencyKey = own.chance(0.3) ? `${name}.${i}` : undefined;
      if (kind < 0.5) await made(service, 'POST', '/v1/access/check', check, idempotencyKey);
      else if (kind < 0.7) {
        const checks = Array.from({ length: own.int(2, 60) }, () => check);
        await made(service, 'POST', '/v1/access/check/batch', { checks }, idempotencyKey);
      } else if (kind < 0.85) {
        await made(service, 'POST', '/v1/content', article(`${name}.${i}`, policy.body.id as string), idempotencyKey);
      } else if (kind < 0.95)
        await made(service, 'PATCH', '/v1/content/first', { title: `${name}.${i}` }, idempotencyKey);
      else
        await made(service, 'PATCH', `/v1/policies/${policy.body.id}`, { description: `${name}.${i}` }, idempotencyKey);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(seeded(random.int(0, 2 ** 31)), `c${i}`)));
  await service.end('SIGTERM');
}

const article = (externalId: string, policyId: string) => ({
  externalId,
  title: externalId,
  type: 'article',
  source: 'https://example.com/a',
  policyId,
  metadata: { text: 'x'.repeat(2000) },
});

async function made(
  service: Running,
  method: string,
  path: string,
  body: unknown,
  idempotencyKey?: string,
): Promise<Answer> {
  const reply = await service.ask(method, path, { body, idempotencyKey });
  assert.ok(reply.status === 200 || reply.status === 201, `${method} ${path}: ${reply.text}`);
  return reply;
}

interface Told {
  object?: string;
  id: string;
  recorded?: boolean;
  version?: number;
  data?: Told[];
}

function factsIn(answer: string): Fact[] {
  const end = answer.indexOf('\r\n\r\n');
  const [head, body] = [answer.slice(0, end), answer.slice(end + 4)];
  if (!/^HTTP\/1\.1 20[01] /.test(head) || !body.startsWith('{')) return [];
  const told = JSON.parse(body) as Told;
  if (told.object === 'content') {
    return [{ kind: 'content', id: told.id, revision: Number(/etag: "\w+-(\d+)"/i.exec(head)?.[1]) }];
  }
  if (told.object === 'policy') return [{ kind: 'policy', id: told.id, version: told.version ?? 0 }];
  return (told.data ?? [told])
    .filter(({ object, recorded }) => object === 'access_decision' && recorded === true)
    .map(({ id }) => ({ kind: 'decision', seq: parseDecisionId(id)?.seq ?? 0 }));
}

/** Counts the facts that are missing in the file after SQLite's recovery. */
function missingIn(file: string, facts: readonly Fact[]): number | 'damaged' {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    const all = <T>(sql: string): T[] => database?.prepare(sql).all() as T[];
    const [integrity] = all<{ integrity_check: string }>('pragma integrity_check');
    if (integrity?.integrity_check !== 'ok') return 'damaged';
    if (all(`select 1 from sqlite_schema where name = 'decisions'`).length === 0) return facts.length;
    const seqs = new Set(all<{ seq: number }>('select seq from decisions').map(({ seq }) => seq));
    const revisions = new Map(
      all<{ id: string; revision: number }>('select id, revision from content').map(({ id, revision }) => [
        id,
        revision,
      ]),
    );
    const versions = new Set(
      all<{ id: string; version: number }>('select policy_id as id, version from policy_versions').map(
        ({ id, version }) => `${id} ${version}`,
      ),
    );
    return facts.filter((fact) => {
      if (fact.kind === 'decision') return !seqs.has(fact.seq);
      if (fact.kind === 'content') return (revisions.get(fact.id) ?? 0) < fact.revision;
      return !versions.has(`${fact.id} ${fact.version}`);
    }).length;
  } catch {
    return 'damaged';
  } finally {
    database?.close();
  }
}

/** The service itself takes up what the power cut left, and counts it right. */
async function startOn(dataDir: string, key: string, facts: readonly Fact[]): Promise<void> {
  await using service = await launched({ dataDir, key });
  const database = new DatabaseSync(join(dataDir, 'postern.db'), { readOnly: true });
  const rows = database.prepare('select count(*) as n from decisions').get()?.n;
  database.close();
  const usage = await until<Answer>(
    'usage',
    () => service.ask('GET', '/v1/analytics/usage?period=all'),
    20_000,
    ({ status }) => status === 200,
  );
  assert.equal(usage.body.summary.totalRequests, rows);
  assert.ok((rows as number) >= facts.filter(({ kind }) => kind === 'decision').length);
  const keys = await service.ask('GET', '/v1/api-keys');
  assert.equal(keys.status, 200, keys.text);
}
