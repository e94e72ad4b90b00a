/** `postern statements` and `postern licenses terms`, against a real service and with files alone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { archive } from '../../src/decisions/history/archive/archive.ts';
import { item, made, makePolicy } from '../http/given.ts';

const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock });
const folder = mkdtempSync(join(tmpdir(), 'postern-statements-'));
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const run = (...args: string[]): Promise<Ran> => commandHere(args, { env });
const file = (name: string): string => join(folder, name);

const terms = {
  reference: 'C-12',
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [
    { upTo: 2, unitPriceMicros: 10_000 },
    { upTo: null, unitPriceMicros: 5_000 },
  ],
};
const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));
const second = await made(postern, '/v1/content', item({ policyId: policy.id }));
await made(postern, '/v1/requesters', { id: 'acme' });
writeFileSync(file('terms.json'), JSON.stringify(terms));

const use = async (purpose: string, content = contentId): Promise<void> => {
  clock.advance(1000);
  await postern.call('POST', '/v1/access/check', { body: { contentId: content, requesterId: 'acme', purpose } });
};

test('from terms to a final statement that files alone verify', async () => {
  const created = await run('licenses', 'create', 'acme', '--type', 'x', '--terms', file('terms.json'));
  const license = created.stdout.trim();
  assert.match(license, /^lic_/, created.stderr);
  for (const purpose of ['training', 'search', 'training']) await use(purpose);
  writeFileSync(file('next.json'), JSON.stringify({ ...terms, flatMicros: 1_000_000 }));
  assert.equal((await run('licenses', 'edit', license, '--terms', file('next.json'))).status, 0);
  assert.match((await run('licenses', 'terms', license)).stdout, /\n +2 +pending +2026-11-01T00:00:00\.000Z/);

  const listed = await run('statements', 'list', '--period', '2026-10');
  assert.match(listed.stdout, /\nstm_\w{26} +acme +C-12 +2026-10 +running +3 +0\.02 EUR\n$/);
  const csv = await run('statements', 'list', '--period', '2026-10', '--requester', 'acme', '--csv');
  assert.match(
    csv.stdout,
    /^statementId,status,.*\r\nstm_\w{26},running,lic_\w+,C-12,acme,.*,0\.02,EUR,,27,31,false\r\n$/,
  );
  const [id = ''] = /stm_\w+/.exec(listed.stdout) ?? [];
  assert.match((await run('statements', 'finalize', id, '--yes')).stderr, /can be final a minute later/);
  clock.advance(Date.parse('2026-11-02T00:00:00Z') - clock.now());
  assert.equal((await run('statements', 'finalize', id, '--yes')).stderr, `${id} is final.\n`);

  writeFileSync(file('theirs.csv'), 'purpose,count\ntraining,2\nsearch,4\n');
  const reconciled = await run('statements', 'reconcile', id, file('theirs.csv'));
  assert.equal(reconciled.stdout, 'Agreed: 3. Only ours: 0. Only theirs: 3.\n  search: ours 1, theirs 4\n');
  assert.equal(reconciled.status, 1);

  const verified = await run('statements', 'verify', id);
  assert.equal(verified.stdout, `${id}: 3 decisions counted again\n✓ every line agrees\n`);
  await run('statements', 'show', id, '--output', file('statement.json'));
  await run('decisions', 'export', '--output', file('decisions.ndjson'));
  const offline = () =>
    commandHere(
      ['statements', 'verify', '--statement', file('statement.json'), '--decisions', file('decisions.ndjson')],
      { env: {} },
    );
  assert.equal((await offline()).status, 0);
  // One decision less.
  const lines = readFileSync(file('decisions.ndjson'), 'utf8').trim().split('\n');
  writeFileSync(file('decisions.ndjson'), lines.slice(1).join('\n'));
  const { status, stdout } = await offline();
  assert.equal(status, 1);
  assert.match(stdout, /✗ training, tier 2: units is 1, counted none/);
  assert.match(stdout, /\n1 of its decisions are missing\. .*only the amounts can be verified\.\n$/);

  const html = await run('statements', 'show', id, '--format', 'html');
  assert.match(html.stdout, /^<!doctype html>/);
  assert.equal((await run('statements', 'show', id, '--format', 'csv')).stdout.split('\r\n').length, 5);
});

test('decisions of deleted items are counted by their ids; without these, the others still add up', async () => {
  await use('training');
  await use('training', second.id);
  await postern.call('DELETE', `/v1/content/${second.id}`);
  const [statement] = JSON.parse((await run('statements', 'list', '--period', '2026-11', '--json')).stdout);
  const { id, lines } = statement;
  const { deleted } = lines[0];
  const { status, stdout } = await run('statements', 'verify', id);
  assert.equal(status, 0, stdout);
  assert.equal(
    stdout,
    `${id}: 1 decisions counted again
1 of deleted items: counted by their ids, which the service keeps
  training, tier 1: 1 from the log or an archive, 1 by their ids, SHA-256 ${deleted.sha256}
✓ every line agrees
`,
  );
  writeFileSync(file('open.json'), JSON.stringify(statement));
  await run('decisions', 'export', '--output', file('rest.ndjson'));
  const offline = (decisions: string) =>
    commandHere(['statements', 'verify', '--statement', file('open.json'), '--decisions', decisions], { env: {} });
  const rest = await offline(file('rest.ndjson'));
  assert.equal(rest.status, 0, rest.stdout);
  assert.match(rest.stdout, /1 decisions counted again, 1 of deleted items cannot be/);
  assert.match(rest.stdout, /Not looked at: decisions of deleted items.*--format ndjson/);
  await run('statements', 'show', id, '--format', 'ndjson', '--output', file('evidence.ndjson'));
  const whole = await offline(file('evidence.ndjson'));
  assert.equal(whole.status, 0, whole.stdout);
  assert.match(whole.stdout, /1 from the log or an archive, 1 by their ids/);
  // Another count of what was deleted.
  const wrong = { ...statement, lines: [{ ...lines[0], deleted: { ...deleted, decisions: 2 } }] };
  writeFileSync(file('open.json'), JSON.stringify(wrong));
  assert.match((await offline(file('evidence.ndjson'))).stdout, /deleted\.decisions is 2, counted 1/);
});

test('a final statement is verified whole after its items were deleted, also by distinct content', async () => {
  for (const unit of ['decision', 'distinct_content']) {
    const holder = `gone-${unit}`.replace('_', '-');
    await made(postern, '/v1/requesters', { id: holder, name: 'Holder' });
    const own = { ...terms, unit, purposes: ['training', 'search'], timezone: 'Europe/Berlin' };
    await made(postern, '/v1/licenses', { requesterId: holder, type: 'x', terms: own });
    const items = await Promise.all([1, 2, 3].map(() => made(postern, '/v1/content', item({ policyId: policy.id }))));
    const check = async (at: number, purpose: string): Promise<void> => {
      clock.advance(1000);
      const body = { contentId: items[at]?.id, requesterId: holder, purpose };
      await postern.call('POST', '/v1/access/check', { body });
    };
    for (const [at, purpose] of [
      [0, 'training'],
      [1, 'search'],
      [0, 'search'],
      [2, 'training'],
      [1, 'preview'],
      [2, 'search'],
      [0, 'preview'],
    ] as const)
      await check(at, purpose);
    const period = new Date(clock.now()).toISOString().slice(0, 7);
    const listed = await run('statements', 'list', '--period', period, '--requester', holder, '--json');
    const [{ id }] = JSON.parse(listed.stdout);
    clock.advance(35 * 86_400_000);
    assert.equal((await run('statements', 'finalize', id, '--yes')).status, 0);
    for (const at of [0, 2]) await postern.call('DELETE', `/v1/content/${items[at]?.id}`);
    const verified = await run('statements', 'verify', id);
    assert.equal(verified.status, 0, verified.stdout);
    assert.match(verified.stdout, /: 1 decisions counted again\n4 of deleted items: counted by their ids/);
    const asJson = JSON.parse((await run('statements', 'verify', id, '--json')).stdout);
    assert.deepEqual([asJson.missing, asJson.differences, asJson.recorded.deleted], [0, [], 4]);
    const show = await run('statements', 'show', id);
    // A file says another name, and another count of what costs nothing.
    const final = JSON.parse(show.stdout);
    const [first, ...others] = final.uncounted;
    const changed = { ...final, requesterName: 'Other', uncounted: [{ ...first, decisions: 7 }, ...others] };
    writeFileSync(file('changed.json'), JSON.stringify(changed));
    const { status, stdout } = await run('statements', 'verify', '--statement', file('changed.json'));
    assert.equal(status, 1);
    assert.match(stdout, /✗ uncounted, preview: decisions is 7, counted 2/);
    assert.match(stdout, /✗ statement: requesterName is Other, counted Holder/);
  }
});

test('a wrong file, effect or choice is a misuse', async () => {
  for (const args of [
    ['licenses', 'create', 'acme', '--type', 'x', '--terms', file('none.json')],
    ['licenses', 'edit', 'lic_0', '--terms', 'none', '--effective', 'tomorrow'],
    ['statements', 'verify'],
    ['statements', 'verify', '--statement', file('terms.json')],
  ]) {
    const { status, stderr } = await run(...args);
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`);
  }
});

test('a damaged file is refused, with its place and what to do', async () => {
  const statement = readFileSync(file('statement.json'), 'utf8');
  const decisions = (await run('decisions', 'export', '--requester', 'acme')).stdout;
  const verify = async (changed: string, log = decisions) => {
    writeFileSync(file('damaged.json'), changed);
    writeFileSync(file('damaged.ndjson'), log);
    const args = ['--statement', file('damaged.json'), '--decisions', file('damaged.ndjson')];
    const { status, stderr } = await commandHere(['statements', 'verify', ...args], { env: {} });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /Save (it|them) again: npx postern statements show ID/);
    return stderr;
  };
  for (const [part, damaged, said] of [
    ['"terms":', '"termt":', /`terms` is required/],
    ['"upTo": null', '"upTp": null', /`terms\.tiers\[1\]\.upTp`; did you mean `upTo`/],
    ['"reference"', '"referencf"', /Unknown field `terms\.referencf`/],
    ['"tier": 1', '"tier": "1"', /`lines\[0\]\.tier` must be/],
    ['"amount": "0', '"amount": "O', /`lines\[0\]\.amount` must be a decimal/],
    ['"from": "2', '"from": "Z', /`from` must be/],
    ['"object": "statement"', '"object": "statemenu"', /`object`/],
    ['{', '[', /is not JSON/],
  ] as const) {
    assert.ok(statement.includes(part), part);
    assert.match(await verify(statement.replace(part, damaged)), said, damaged);
  }
  const [first = '', ...rest] = decisions.trim().split('\n');
  for (const line of [
    first.slice(1),
    'null',
    '7',
    first.replace('"purpose"', '"purposf"'),
    first.replace('"id"', '"ie"'),
  ])
    assert.match(
      await verify(statement, [...rest, line].join('\n')),
      new RegExp(`Line ${rest.length + 1} of the decisions`),
    );
});

test('an archive is counted again, alone or beside the log; amounts are priced again', async () => {
  const [{ id }] = JSON.parse((await run('statements', 'list', '--period', '2026-10', '--json')).stdout);
  const now = Date.parse('2026-12-15T00:00:00Z');
  const archives = file('archive');
  // In the middle of the period.
  for (const before of ['2026-10-05T12:00:03Z', '2026-11-01T00:00:00Z']) {
    await archive({ records: postern.dataDir, before: Date.parse(before), to: archives, now, say: () => {} });
    const alone = await run('statements', 'verify', id);
    assert.equal(alone.status, 1, 'the log alone has less');
    assert.match(
      alone.stdout,
      /Not looked at: archived decisions\. Name the folder of the archive with --archive DIR\./,
    );
    assert.equal(
      (await run('statements', 'verify', id, '--archive', archives)).stdout,
      `${id}: 3 decisions counted again\n✓ every line agrees\n`,
    );
  }
  const offline = (statement: object) => {
    writeFileSync(file('archived.json'), JSON.stringify(statement));
    return commandHere(['statements', 'verify', '--statement', file('archived.json'), '--archive', archives], {
      env: {},
    });
  };
  const statement = JSON.parse(readFileSync(file('statement.json'), 'utf8'));
  assert.equal((await offline(statement)).status, 0);
  const [first, ...rest] = statement.lines;
  const dearer = await offline({ ...statement, lines: [{ ...first, amount: '9.99' }, ...rest] });
  assert.equal(dearer.status, 1);
  assert.match(dearer.stdout, /amount is 9\.99, counted 0\.0/);
  const total = await offline({ ...statement, total: { ...statement.total, amount: '0.03' } });
  assert.match(total.stdout, /total: amount is 0\.03, counted 0\.02/);
  const [one] = statement.lines;
  for (const [wrong, said] of [
    [{ units: 4 }, /statement: units is 4, counted 3/],
    [{ decisions: 5 }, /statement: decisions is 5, counted 3/],
    [{ total: { ...statement.total, amountMicros: 90_000 } }, /total: amountMicros is 90000, counted 20000/],
    [{ lines: [{ ...one, amountMicros: 70_000 }, ...rest] }, /search, tier 1: amountMicros is 70000, counted 10000/],
    [{ lines: [{ ...one, unitPriceMicros: 99 }, ...rest] }, /search, tier 1: unitPriceMicros is 99, counted 10000/],
    [{ lines: [...statement.lines, statement.lines.at(-1)] }, /lines is 4, counted 3/],
  ] as const) {
    const { status, stdout } = await offline({ ...statement, ...wrong });
    assert.equal(status, 1, stdout);
    assert.match(stdout, said);
  }
  const [part = ''] = readdirSync(archives).filter((name) => name.endsWith('.parquet'));
  mkdirSync(file('damaged'));
  writeFileSync(join(file('damaged'), part), readFileSync(join(archives, part)).subarray(1));
  const damaged = await run('statements', 'verify', id, '--archive', file('damaged'));
  assert.equal(damaged.status, 2, damaged.stderr);
  assert.match(damaged.stderr, new RegExp(`decisions in ${part} cannot be read.*restore its copy`));
  for (const option of ['--archive', '--decisions']) {
    const none = await run('statements', 'verify', id, option, file('nowhere'));
    assert.deepEqual([none.status, none.stderr], [2, `Cannot read ${file('nowhere')}: it does not exist.\n`]);
  }
  const aFolder = await run('statements', 'verify', id, '--decisions', file('damaged'));
  assert.deepEqual([aFolder.status, aFolder.stderr], [2, `Cannot read ${file('damaged')}: it is a folder.\n`]);
  writeFileSync(file('empty'), '');
  const empty = await run('statements', 'verify', id, '--decisions', file('empty'));
  assert.deepEqual([empty.status, empty.stderr], [1, '']);
});
