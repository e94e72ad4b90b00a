/**
 * The disk is full, or fails, while clients work: they receive errors, nothing is half done, work without the disk
 * continues, and when the disk recovers so does the service, without a restart.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../kit/answer.ts';
import { launched, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { Book, type Refusal } from './book.ts';
import { failCalls } from './strace.ts';
import { Verifier } from './verify.ts';
import { type Round, runClient, setRound, setStage } from './workload.ts';

export interface FaultOptions {
  faults: number;
  seed: number;
  tell?: (line: string) => void;
}

export interface FaultFigures {
  faults: number;
  answered: number;
  storageFull: number;
  unavailable: number;
  repeatedAfterwards: number;
  slowestRecoveryMs: number;
  slowestUsageMs: number;
}

const CLIENTS = 8;
const DISK_MIB = 96;
const RECOVERED_WITHIN_MS = 15_000;
/** Usage waits for the columns, which retry with growing pauses. */
const USAGE_WITHIN_MS = 90_000;

/** A fault that has begun; ends it. */
type Heal = () => Promise<void>;

interface Fault {
  /** For reports. */
  name: string;
  begin(service: Running, random: Random): Promise<Heal>;
  /** The codes an edit is refused with during the fault. */
  edits: Refusal;
  /** Reading the file fails too. */
  readsFail?: boolean;
  /** A write that failed at the last step may be found after a crash, since it may have reached the disk. */
  mayLinger?: boolean;
}

/** Returns why a small disk cannot be mounted here; undefined when it can. */
export function cannotMount(): string | undefined {
  using folder = temporaryFolder();
  const mounted = mount(folder.path);
  if (mounted === undefined) unmount(folder.path);
  return mounted;
}

export function mount(path: string): string | undefined {
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', path]);
  if (done.error !== undefined) return 'mount is not installed';
  return done.status === 0 ? undefined : `a file system cannot be mounted: ${done.stderr.toString().trim()}`;
}

export const unmount = (path: string): void => void spawnSync('umount', ['-l', path]);

/** A disk of its own is filled up to a few pages, again and again. */
export async function runDiskFull(options: FaultOptions): Promise<FaultFigures> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'disk');
  mkdirSync(dataDir);
  const why = mount(dataDir);
  if (why !== undefined) throw new Error(why);
  try {
    const filler = join(dataDir, 'filler');
    const full: Fault = {
      name: 'full',
      edits: 'storage_full',
      async begin(_service, random) {
        const { bavail, bsize } = statfsSync(dataDir);
        const left = random.pick([0, 0, random.int(1, 40), random.int(1, 400)]);
        fill(filler, Math.max(0, bavail - left) * bsize);
        return async () => rmSync(filler);
      },
    };
    return await runFaults(
      dataDir,
      options,
      Array.from({ length: options.faults }, () => full),
    );
  } finally {
    unmount(dataDir);
  }
}

/** Fills the free space; the service takes some of it meanwhile. */
export function fill(file: string, bytes: number): void {
  const handle = openSync(file, 'w');
  try {
    for (let rest = bytes; rest > 0; ) rest -= writeSync(handle, Buffer.alloc(Math.min(rest, 65_536)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(handle);
  }
}

const calls = (name: string, error: string, fault: Omit<Fault, 'name' | 'begin'>): Fault => ({
  name: `${error} on ${name}`,
  ...fault,
  async begin(service) {
    const { heal } = await failCalls(service.pid, name, error);
    return heal;
  },
});

const FAILING_CALLS: readonly Fault[] = [
  calls('pwrite64', 'ENOSPC', { edits: 'storage_full' }),
  calls('pwrite64', 'EIO', { edits: 'service_unavailable' }),
  calls('fsync,fdatasync', 'EIO', { edits: 'service_unavailable', mayLinger: true }),
  calls('pread64', 'EIO', { edits: 'service_unavailable', readsFail: true }),
];

/** System calls of the running service fail. */
export async function runFailingCalls(options: FaultOptions): Promise<FaultFigures> {
  using folder = temporaryFolder();
  const faults = Array.from({ length: options.faults }, (_, i) => FAILING_CALLS[i % FAILING_CALLS.length] as Fault);
  return await runFaults(folder.path, options, faults);
}

async function runFaults(dataDir: string, options: FaultOptions, faults: readonly Fault[]): Promise<FaultFigures> {
  const { seed, tell = () => {} } = options;
  const random = seeded(seed);
  const key = newTestKey();
  const start = (): Promise<Running> => launched({ dataDir, key, housekeepingMayFail: true });
  const book = new Book();
  const figures = { faults: 0, repeatedAfterwards: 0, slowestRecoveryMs: 0, slowestUsageMs: 0 };
  let service = await start();
  let heal: Heal | undefined;
  let now = 'the start';
  try {
    const stage = await setStage(service);
    const verifier = new Verifier(book, stage, dataDir);
    for (const [i, fault] of faults.entries()) {
      now = `${fault.name} (${i + 1})`;
      const round = await setRound(service, stage, i);
      const known = await aDecision(service);
      let over = false;
      book.editsRefusedAs = fault.edits;
      book.editsInDoubt = fault.mayLinger === true || (fault.edits === 'storage_full' ? false : null);
      const load = Promise.all(
        Array.from({ length: CLIENTS }, (_, client) => {
          const own = seeded(random.int(0, 2 ** 31));
          return runClient(service, book, own, round, `${i}.${client}`, () => !over);
        }),
      );
      heal = await fault.begin(service, random);
      const wanted = random.int(20, 200);
      await Promise.race([load, refusals(book, wanted)]);
      await readsGoOn(service, fault, known);
      if (fault.mayLinger === true && random.chance(0.5)) {
        // Killed while it fails: whether a refused write had reached the disk is then anybody's guess.
        over = true;
        await load;
        await service.end('SIGKILL');
        await heal();
        heal = undefined;
        book.doubtRefused();
      } else {
        await heal();
        heal = undefined;
        const recoveryMs = await recovery(service, book, round, i);
        figures.slowestRecoveryMs = Math.max(figures.slowestRecoveryMs, Math.round(recoveryMs));
        over = true;
        await load;
        book.editsRefusedAs = null;
        figures.repeatedAfterwards += await repeatRefused(service, book);
        const askedAt = performance.now();
        await until<Answer>(
          'usage',
          () => usage(service),
          USAGE_WITHIN_MS,
          ({ status }) => status === 200,
        );
        figures.slowestUsageMs = Math.max(figures.slowestUsageMs, Math.round(performance.now() - askedAt));
        await verifier.verify(service, random, round);
        await service.end('SIGKILL');
      }
      book.editsRefusedAs = null;
      service = await start();
      await verifier.verify(service, random, round, i === faults.length - 1);
      figures.faults++;
      tell(`${now}: ${JSON.stringify({ ...figures, ...book.refusals })}`);
    }
    const { storage_full: storageFull, service_unavailable: unavailable } = book.refusals;
    return { ...figures, answered: book.answered, storageFull, unavailable };
  } catch (error) {
    const told = `${now}, with seed ${seed}: ${(error as Error).message}\n${service.output().slice(-3000)}`;
    throw new Error(told, { cause: error });
  } finally {
    await heal?.();
    await service.end('SIGKILL');
  }
}

const usage = (service: Running): Promise<Answer> => service.ask('GET', '/v1/analytics/usage?period=all');

async function aDecision(service: Running): Promise<string> {
  const reply = await service.ask('POST', '/v1/access/check', { body: { contentId: 'open-0', dryRun: true } });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.policyId as string;
}

function refusals(book: Book, wanted: number): Promise<unknown> {
  const goal = book.refusals.storage_full + book.refusals.service_unavailable + wanted;
  return until(
    `${wanted} refusals`,
    () => book.refusals.storage_full + book.refusals.service_unavailable >= goal,
    30_000,
  );
}

/** Reads still succeed; only reads of the failing file itself may be unavailable. */
async function readsGoOn(service: Running, fault: Fault, policyId: string): Promise<void> {
  const dry = { body: { contentId: 'open-0', dryRun: true } };
  const asked: [string, string, { body: unknown } | undefined][] = [
    ['GET', '/livez', undefined],
    ['GET', '/metrics', undefined],
    ['POST', '/v1/access/check', dry],
    ['GET', `/v1/policies/${policyId}`, undefined],
    ['GET', '/v1/policies', undefined],
    ['GET', '/v1/content?limit=5', undefined],
    ['GET', '/v1/api-keys', undefined],
  ];
  for (const [method, path, ask] of asked) {
    const { status, text } = await service.ask(method, path, ask);
    const right = status === 200 || (fault.readsFail === true && status === 503);
    assert.ok(right, `${method} ${path} during ${fault.name}: ${status} ${text}`);
  }
  // These count decisions, which must be copied into the columns first: in memory, where only the room is missing.
  for (const path of ['/v1/analytics/usage', '/v1/content/open-0', '/v1/access/decisions']) {
    if (fault.name === 'full') {
      const counted = await until<Answer>(
        `GET ${path} while the disk is full`,
        () => service.ask('GET', path),
        RECOVERED_WITHIN_MS,
        ({ status }) => status === 200,
      );
      assert.equal(counted.status, 200);
      continue;
    }
    const { status, text } = await service.ask('GET', path);
    assert.ok([200, 503, 507].includes(status), `GET ${path} during ${fault.name}: ${status} ${text}`);
  }
}

/** Milliseconds until a check was recorded again. */
async function recovery(service: Running, book: Book, round: Round, number: number): Promise<number> {
  const startedAt = performance.now();
  let tries = 0;
  await until(
    'checks are recorded again',
    async () => {
      const refused = book.refused.length;
      const token = `${number}.recovery.${tries++}`;
      const item = { token, content: 'open-1', requesterId: round.requesters[0] ?? null, recorded: true };
      const body = { contentId: 'open-1', requesterId: round.requesters[0], purpose: token };
      const path = '/v1/access/check';
      await book.send(service, {
        client: 'recovery',
        kind: 'check',
        method: 'POST',
        path,
        body,
        idempotencyKey: undefined,
        checks: [item],
      });
      return book.refused.length === refused;
    },
    RECOVERED_WITHIN_MS,
    (recorded) => recorded,
  );
  return performance.now() - startedAt;
}

/** A refusal is not kept: the same request with the same key succeeds now, once. */
async function repeatRefused(service: Running, book: Book): Promise<number> {
  const refused = book.refused.splice(0);
  let repeated = 0;
  for (const sent of refused) {
    if ((sent.kind !== 'check' && sent.kind !== 'batch') || sent.idempotencyKey === undefined || repeated >= 20)
      continue;
    if (sent.checks.some(({ content }) => content.startsWith('own '))) continue;
    await book.send(service, sent);
    repeated++;
  }
  return repeated;
}
