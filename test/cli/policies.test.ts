/**
 * `postern policies`: after an apply the service holds the files in git, exactly once, and never overwrites another
 * person's edit.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-policies-'));
const postern = await startTestService();
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const run = (...args: string[]): Promise<Ran> => commandHere(['policies', ...args], { env, cwd: folder });
const put = (name: string, content: unknown): string => {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
};
const policies = async () =>
  (await postern.call('GET', '/v1/policies?limit=100')).body.data as { id: string; name: string; version: number }[];
const named = async (name: string) => (await policies()).filter((one) => one.name === name);
const open = { action: 'allow', conditions: { default: true }, permissions: ['full_access'] };
const closed = { action: 'deny', conditions: { default: true } };

describe('apply', () => {
  test('shows the plan, writes what is different, and nothing when applied again', async () => {
    const files = [
      put(
        'a.yaml',
        'name: A\nrules:\n  - {action: allow, conditions: {licenseType: research}, permissions: [full_access]}\n',
      ),
      put('b.json', { name: 'B', description: 'Of B', rules: [closed], defaultAction: 'deny' }),
    ];
    const plan = await run('apply', '--dry-run', ...files);
    assert.equal(plan.status, 0);
    assert.match(
      plan.stdout,
      /^\+ a\.yaml: A: to be created with 1 rule\n\+ b\.json: B: .*\n2 to create, 0 to edit, 0 unchanged\n$/,
    );
    assert.deepEqual([await named('A'), await named('B')], [[], []]);

    const first = await run('apply', '--yes', '--json', ...files);
    assert.equal(first.status, 0, first.stderr);
    const [a, b] = JSON.parse(first.stdout);
    assert.deepEqual([a.action, a.version, b.action], ['create', 1, 'create']);
    const again = await run('apply', '--yes', ...files);
    assert.match(again.stdout, /0 to create, 0 to edit, 2 unchanged/);
    assert.deepEqual(pluck(await named('A'), 'id', 'version'), [[a.id, 1]]);

    put(
      'a.yaml',
      'name: A\nrules:\n  - {action: allow, conditions: {licenseType: [research, press]}, permissions: [full_access]}\n',
    );
    const edited = await run('apply', '--yes', ...files);
    assert.match(
      edited.stdout,
      /~ a\.yaml: A: pol_\w+, version 1, to be edited\n {4}~ rules\[0\] changed\n {8}conditions\.licenseType: "research" → \["research","press"\]/,
    );
    assert.deepEqual(pluck(await named('A'), 'version'), [2]);
  });

  test('asks; without an answer nothing is written', async () => {
    const file = put('asked.json', { name: 'Asked', rules: [] });
    const { status, stderr } = await run('apply', file);
    assert.equal(status, 2);
    assert.match(stderr, /--yes/);
    assert.deepEqual(await named('Asked'), []);
  });

  test('one file that is not valid, or whose cases fail, and none is written', async () => {
    const good = put('good.json', { name: 'Good', rules: [] });
    const bad = put('bad.json', { name: 'Bad', rules: [{ action: 'alow' }] });
    const failing = put('failing.json', {
      name: 'Failing',
      rules: [],
      cases: [{ name: 'all may', check: {}, expect: { allowed: true } }],
    });
    const invalid = await run('apply', '--yes', good, bad);
    assert.equal(invalid.status, 2);
    assert.match(invalid.stderr, /bad\.json is not a valid policy file\n.*nearest: allow/);
    const untrue = await run('apply', '--yes', good, failing);
    assert.equal(untrue.status, 1);
    assert.match(untrue.stderr, /✗ all may[^]*Nothing was written/);
    for (const name of ['Good', 'Bad', 'Failing']) assert.deepEqual(await named(name), []);
  });

  test('an edit that somebody made after the plan is not overwritten', async () => {
    const file = put('raced.json', { name: 'Raced', rules: [closed] });
    assert.equal((await run('apply', '--yes', file)).status, 0);
    const [policy] = await named('Raced');
    put('raced.json', { name: 'Raced', rules: [open] });
    // Another person edits between plan and write: the first line of output triggers the edit.
    let edited = false;
    const ran = await commandHere(['policies', 'apply', '--yes', join(folder, file)], {
      env,
      async out() {
        if (edited) return;
        edited = true;
        await postern.call('PATCH', `/v1/policies/${policy?.id}`, { body: { description: 'Mine' } });
      },
    });
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, /^precondition_failed/m);
    const { body } = await postern.call('GET', `/v1/policies/${policy?.id}`);
    assert.deepEqual([body.description, body.rules], ['Mine', [closed]]);
  });

  test('a policy is known by its id, or by a name that only it has', async () => {
    const make = async (name: string) =>
      (await postern.call('POST', '/v1/policies', { body: { name, rules: [] } })).body.id as string;
    const [one] = [await make('Twin'), await make('Twin')];
    const unclear = await run('apply', '--yes', put('twin.json', { name: 'Twin', rules: [open] }));
    assert.equal(unclear.status, 1);
    assert.match(unclear.stderr, /2 policies have the name "Twin": pol_\w+, pol_\w+/);
    assert.equal(
      (await run('apply', '--yes', put('twin.json', { id: one, name: 'No twin', rules: [open] }))).status,
      0,
    );
    assert.deepEqual(pluck(await named('No twin'), 'id'), [one]);
    const gone = await run('apply', '--yes', put('gone.json', { id: 'pol_gone', name: 'Gone', rules: [] }));
    assert.match(gone.stderr, /pol_gone, which the service does not have/);
    const twice = await run(
      'apply',
      '--yes',
      put('one.json', { name: 'Same', rules: [] }),
      put('two.json', { name: 'Same', rules: [open] }),
    );
    assert.equal(twice.status, 2);
    assert.match(twice.stderr, /two\.json is for the same policy as another/);
  });

  test('warnings are told', async () => {
    const file = put('warned.json', { name: 'Warned', rules: [open, closed] });
    const { status, stderr } = await run('apply', '--yes', file);
    assert.equal(status, 0);
    assert.match(stderr, /! This rule holds for every check/);
  });
});

test('get writes a file that applies without a change, also of an old version', async () => {
  const { body } = await postern.call('POST', '/v1/policies', {
    body: {
      name: 'Kept: #1',
      description: 'no',
      rules: [{ ...open, conditions: { time: { from: '09:00', days: ['mon'] }, country: ['NO'] } }],
    },
  });
  await postern.call('PATCH', `/v1/policies/${body.id}`, { body: { rules: [closed] } });
  for (const args of [
    ['get', body.id],
    ['get', 'Kept: #1'],
    ['get', body.id, '--json'],
  ]) {
    const got = await run(...args);
    const applied = await run('apply', '--yes', put('got.yaml', got.stdout));
    assert.match(applied.stdout, /0 to create, 0 to edit, 1 unchanged/, got.stdout);
  }
  const old = await run('get', body.id, '--of-version', '1');
  await run('apply', '--yes', put('old.yaml', old.stdout));
  const { body: now } = await postern.call('GET', `/v1/policies/${body.id}`);
  assert.deepEqual([now.version, now.rules, now.description], [3, body.rules, 'no']);
});

test('diff tells files from the service, and versions from each other', async () => {
  const file = put('d.json', { name: 'D', rules: [closed] });
  await run('apply', '--yes', file);
  assert.equal((await run('diff', file, '--exit-code')).status, 0);
  put('d.json', { name: 'D', rules: [open, closed], defaultAction: 'allow' });
  const differs = await run('diff', file, '--exit-code');
  assert.equal(differs.status, 1);
  assert.match(differs.stdout, /defaultAction: "deny" → "allow"\n {4}\+ rules\[0\] \{"action":"allow"/);
  assert.equal((await run('diff', file)).status, 0);
  await run('apply', '--yes', file);
  const versions = await run('diff', 'D', '1', '2', '--json');
  assert.deepEqual(pluck(JSON.parse(versions.stdout).rules, 'change'), ['added']);
});

test('lint tells what is hardly meant, without a service', async () => {
  const good = put('clean.json', { name: 'Clean', rules: [closed] });
  const bad = put('odd.json', { name: 'Odd', rules: [open, closed] });
  const offline = (...args: string[]) => commandHere(['policies', 'lint', ...args], { cwd: folder });
  assert.equal((await offline(good)).status, 0);
  const { status, stdout } = await offline(good, bad);
  assert.equal(status, 1);
  assert.match(stdout, /odd\.json: catch_all_before_others at rules\[0\]/);
  assert.equal((await offline(good, 'nowhere.json')).status, 2);
});

test('impact tells what a file would have made of the past', async () => {
  const file = put('impact.json', { name: 'Impact', rules: [open] });
  await run('apply', '--yes', file);
  const [policy] = await named('Impact');
  await postern.call('POST', '/v1/content', {
    body: { externalId: 'i', title: 'I', type: 'article', source: 'https://example.com/i', policyId: policy?.id },
  });
  for (const requesterId of ['bot', 'bot', 'reader'])
    await postern.call('POST', '/v1/access/check', { body: { contentId: 'i', requesterId } });
  put('impact.json', { name: 'Impact', rules: [{ action: 'deny', conditions: { requesterId: 'bot' } }, open] });
  const { status, stdout } = await run('impact', file);
  assert.equal(status, 0);
  assert.match(stdout, /^3 decisions from/);
  assert.match(stdout, / {2}1 would be the same\n {2}2 allowed ones would be denied\n {2}0 denied ones/);
  assert.match(stdout, /who +now denied +now allowed\nbot +2 +0\n/);
  const json = await run('impact', 'Impact', '--of-version', '1', '--json');
  assert.equal(JSON.parse(json.stdout).unchanged, 3);
});

test('rollback shows what changes, asks, and writes a new version', async () => {
  const file = put('r.json', { name: 'R', rules: [closed] });
  await run('apply', '--yes', file);
  put('r.json', { name: 'R', rules: [open] });
  await run('apply', '--yes', file);
  assert.equal((await run('rollback', 'R', '1')).status, 2);
  const { status, stderr } = await run('rollback', 'R', '1', '--yes');
  assert.equal(status, 0, stderr);
  assert.match(stderr, /rules\[0\][^]*R is at version 3, with the rules of version 1/);
  const none = await run('rollback', 'R', '9', '--yes');
  assert.equal(none.status, 1);
  assert.match(none.stderr, /policy_version_not_found/);
});

test('list', async () => {
  const { stdout } = await run('list');
  assert.match(stdout, /^id +name +version +rules/);
  assert.match(stdout, /pol_default +Default policy +1 +0 +default/);
});

describe('candidate', () => {
  test('is put from a file, shown with its counts, published; then there is none', async () => {
    const file = put('candidate.json', { name: 'Tried', rules: [closed] });
    const early = await run('candidate', 'put', file);
    assert.equal(early.status, 1);
    assert.match(early.stderr, /no policy "Tried"/);
    const { body: policy } = await postern.call('POST', '/v1/policies', { body: { name: 'Tried', rules: [open] } });
    const set = await run('candidate', 'put', file);
    assert.equal(set.status, 0, set.stderr);
    assert.match(set.stderr, /^Tried has a candidate since \d{4}-/);
    await postern.call('POST', '/v1/content', {
      body: { externalId: 'tried', title: 'T', type: 'article', source: 'https://a.example/', policyId: policy.id },
    });
    await postern.call('POST', '/v1/access/check', { body: { contentId: 'tried', requesterId: 'r' } });
    const shown = await run('candidate', 'show', 'Tried');
    assert.match(
      shown.stdout,
      /1 decision since .*\n {2}0 are the same\n {2}1 are newly denied\n {2}0 are newly allowed/,
    );
    assert.match(shown.stdout, /rules\[0\]/);
    const { newlyDenied, byRequester } = JSON.parse((await run('candidate', 'show', policy.id, '--json')).stdout);
    assert.deepEqual([newlyDenied, pluck(byRequester, 'id')], [1, ['r']]);
    assert.equal((await run('candidate', 'publish', 'Tried')).status, 2);
    const published = await run('candidate', 'publish', 'Tried', '--yes');
    assert.match(published.stderr, /Tried is at version 2\.\n$/);
    assert.deepEqual(
      (await named('Tried')).map(({ version }) => version),
      [2],
    );
    const none = await run('candidate', 'delete', 'Tried');
    assert.equal(none.status, 1);
    assert.match(none.stderr, /has no candidate/);
    await run('candidate', 'put', put('candidate.json', { name: 'Tried', rules: [] }));
    assert.match((await run('candidate', 'delete', 'Tried')).stderr, /is discarded/);
  });
});
