/** An installation with old decisions, whose service is a process that can be killed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HURRIED } from '../../../kit/hurry.ts';
import { launched, newTestKey, type Running } from '../../../kit/launch.ts';
import { databaseSettings, dropDatabase, runOn } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';

type Any = any;
const DAY_MS = 86_400_000;
export const DECISIONS = 30_000;
const AT_ONCE = 1_000;
/** A requester, and how many of the decisions are its own. */
export const ID = 'zzunmistakable-id';
export const THEIRS = (DECISIONS / AT_ONCE) * Math.ceil(AT_ONCE / 3);
/** The user agent of all. */
export const AGENT = 'zzunmistakable-agent';
export const RETENTION = { POSTERN_INPUT_DAYS: '31', POSTERN_DECISION_DAYS: '31' };

/** An installation with decisions that are forty days old; every third is of the requester. */
export class Installation implements AsyncDisposable {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'postern-killed-'));
  readonly #folders = [this.dataDir];
  readonly #key = newTestKey();
  database: { POSTERN_DATABASE_URL?: string } = {};

  static async filled(): Promise<Installation> {
    const one = new Installation();
    one.database = await databaseSettings(one.dataDir);
    await using service = await one.start();
    const made = async (path: string, body: unknown): Promise<Any> => {
      const answer = await service.ask('POST', path, { body });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    await made('/v1/requesters', { id: ID, name: ID });
    const policy = await made('/v1/policies', { name: 'P', rules: [{ action: 'allow', conditions: {} }] });
    const item = { title: 'T', type: 'article', source: 'https://example.com/a', policyId: policy.id };
    const { id: contentId } = await made('/v1/content', { externalId: 'a', ...item });
    const context = { userAgent: AGENT };
    const checks = Array.from({ length: AT_ONCE }, (_, i) => ({
      contentId,
      context,
      requesterId: i % 3 === 0 ? ID : `other_${i % 3}`,
    }));
    for (let n = 0; n < DECISIONS; n += AT_ONCE) await made('/v1/access/check/batch', { checks });
    await service.end('SIGTERM');
    await one.rows(`update decisions set at = at - ${40 * DAY_MS}`);
    for (const name of readdirSync(one.dataDir)) {
      if (name.startsWith('columns')) rmSync(join(one.dataDir, name), { recursive: true });
    }
    return one;
  }

  start = (env: Record<string, string> = {}): Promise<Running> =>
    launched({ dataDir: this.dataDir, key: this.#key, env: { ...this.database, ...HURRIED, ...env } });

  /** Another node, on PostgreSQL. */
  startBeside(env: Record<string, string> = {}): Promise<Running> {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-beside-'));
    this.#folders.push(dataDir);
    return launched({ dataDir, key: this.#key, env: { ...this.database, ...HURRIED, ...env } });
  }

  rows = async (sql: string): Promise<Any[]> =>
    (await runOn(this.dataDir, this.database.POSTERN_DATABASE_URL, { sql })) as Any[];

  count = async (from: string, what = 'count(*)'): Promise<number> =>
    Number((await this.rows(`select coalesce(${what}, 0) as n from ${from}`))[0].n);

  /** Decisions in the log and in the daily counts, read at one time. */
  async held(): Promise<{ log: number; counted: number }> {
    const [row] = await this.rows(
      `select (select count(*) from decisions) as log, (select coalesce(sum(requests), 0) from daily_counts) as counted`,
    );
    return { log: Number(row.log), counted: Number(row.counted) };
  }

  filesWith = (mark: string): string[] =>
    readdirSync(this.dataDir, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && textOf(join(one.parentPath, one.name)).includes(mark))
      .map(({ name }) => name);

  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    await dropDatabase(this.dataDir);
  }
}

/** A file may be removed after it was listed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

export const usageOf = async (service: Running, query = ''): Promise<Any> =>
  (await service.ask('GET', `/v1/analytics/usage?period=all${query}`)).body.summary;

/** Waits until the work has come into its middle, and kills the service. */
export async function killAmid(service: Running, isAmid: () => Promise<boolean>): Promise<void> {
  await until('the work is in its middle', isAmid, 60_000);
  await service.end('SIGKILL');
}
