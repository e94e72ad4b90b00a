/** The demo, small: what it writes and asks is what the service reports, on the first run and on the next. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readCatalog } from '../../../demo/catalog.ts';
import { readCrawlers, tagged } from '../../../demo/crawlers.ts';
import { policies } from '../../../demo/policies.ts';
import { startTestService } from '../../../kit/service.ts';

const MAIN = fileURLToPath(new URL('../../../demo/main.ts', import.meta.url));
type Any = any;

const dir = mkdtempSync(join(tmpdir(), 'postern-demo-'));
after(() => rmSync(dir, { recursive: true, force: true }));

function demo(...flags: string[]): { status: number | null; text: string } {
  const args = [MAIN, '--once', '--port', '0', '--live', '200', '--catalog', '300', ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  return { status, text: stdout + stderr };
}

describe('the demo', () => {
  it('reports what it wrote and asked, and goes on from there', () => {
    const data = join(dir, 'data');
    const first = demo('--data-dir', data, '--past', '2000');
    assert.match(first.text, /✓ 2,200 decisions recorded, 2,200 reported/);
    assert.equal(first.status, 0, first.text);
    assert.equal(statSync(join(data, 'key')).mode & 0o777, 0o600);

    const second = demo('--data-dir', data);
    assert.match(second.text, /0 new, 0 updated, 3\d\d unchanged/);
    assert.match(second.text, /✓ 2,400 decisions recorded, 2,400 reported/);
    assert.equal(second.status, 0, second.text);
  });

  it('fills every page of the console, and its policies draw no warning', async () => {
    const data = join(dir, 'filled');
    assert.equal(demo('--data-dir', data, '--past', '6000').status, 0);
    const key = readFileSync(join(data, 'key'), 'utf8');
    await using postern = await startTestService({ dataDir: data });
    const list = async (path: string) => (await postern.call('GET', path, { key })).body.data;
    const words = async (path: string, field: string) => (await list(path)).map((one: Any) => one[field]).toSorted();
    assert.deepEqual(await words('/v1/license-requests?limit=10', 'status'), ['declined', 'granted', 'open', 'open']);
    assert.equal((await list('/v1/offers')).length, 4);
    const [site] = await list('/v1/sites');
    const drift = (await postern.call('GET', `/v1/sites/${site.host}/signals/drift`, { key })).body;
    assert.deepEqual([drift.state, drift.files[0].kind], ['drifted', 'robots.txt']);
    assert.ok(drift.files[0].differenceCount > 0);
    const months = [-1, 0].map((past) => Temporal.Now.plainDateISO('UTC').add({ months: past }).toString().slice(0, 7));
    const [last, running] = await Promise.all(months.map((month) => words(`/v1/statements?period=${month}`, 'status')));
    assert.deepEqual([new Set(last), new Set(running)], [new Set(['final']), new Set(['running'])]);
    const quotas = (await list('/v1/licenses?limit=100')).filter(({ terms }: Any) => terms?.quota !== undefined);
    for (const { id } of quotas) {
      const { quota } = (await postern.call('GET', `/v1/licenses/${id}/usage`, { key })).body;
      assert.ok(quota.used > 0 && quota.remaining > 0, JSON.stringify(quota));
    }
    assert.equal(quotas.length, 2);
    const { byCrawler } = (await postern.call('GET', '/v1/analytics/usage?period=30d&limit=50', { key })).body;
    const google = byCrawler.find(({ crawler }: Any) => crawler === 'Googlebot');
    assert.ok(google.verified > 0 && google.spoofed > 0, JSON.stringify(google));
    for (const { name, rules, defaultAction } of await list('/v1/policies?limit=100')) {
      const linted = await postern.call('POST', '/v1/policies/lint', { key, body: { name, rules, defaultAction } });
      assert.deepEqual(linted.body.warnings, [], name);
    }
  });

  it("keeps its hands off a service's data", () => {
    const foreign = join(dir, 'foreign');
    assert.equal(demo('--data-dir', foreign, '--past', '10').status, 0);
    writeFileSync(join(foreign, 'key'), 'something else');
    const { status, text } = demo('--data-dir', foreign, '--fresh');
    assert.match(text, /holds the data of a service, not of a demo/);
    assert.equal(status, 1);
  });

  it('refuses AI without a license for want of one, so that it is among the leads', () => {
    const refusals = Object.values(policies()).map(({ name, rules }) => {
      const first = rules.find(({ action, conditions = {} }) => action === 'deny' && conditions.purpose !== undefined);
      return { name, conditions: first?.conditions };
    });
    const named = refusals.filter(({ conditions }) => conditions !== undefined);
    assert.equal(named.length, 3);
    for (const { name, conditions } of named) assert.equal(conditions?.hasValidLicense, false, name);
  });

  it('reads real packages', () => {
    const catalog = readCatalog();
    const ids = new Set(catalog.map(({ item }) => item.externalId));
    assert.equal(ids.size, catalog.length);
    const of = (type: string) => catalog.filter(({ item }) => item.type === type).length;
    assert.ok(of('article') > 11_000 && of('image') > 3_000 && of('dataset') > 50);

    const crawlers = readCrawlers();
    const ai = tagged(crawlers, 'ai-crawler').map(({ id }) => id);
    for (const name of ['GPTBot', 'ClaudeBot', 'PerplexityBot', 'CCBot']) assert.ok(ai.includes(name), name);
    assert.ok(crawlers.every(({ id }) => /^[A-Za-z0-9._:@/-]{1,128}$/.test(id)));
  });
});
