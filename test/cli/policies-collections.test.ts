/** Collections in policy files: after an apply the service holds them, once, with the policy of their file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService } from '../../kit/service.ts';
import { assertStatus, made, makeKey, makePolicy } from '../http/given.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-collections-'));
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
const collections = async (q: string): Promise<any[]> =>
  (await postern.call('GET', `/v1/collections?q=${q}`)).body.data;
const policyNamed = async (name: string) =>
  (await postern.call('GET', '/v1/policies?limit=100')).body.data.find((one: { name: string }) => one.name === name);

test('a new policy and its collections are created, edited where they differ, and not touched again', async () => {
  const text = `name: Paid
rules:
  - {action: allow, conditions: {licenseType: press}, permissions: [full_access]}
collections:
  - name: Paid news
    hosts: [www.example.com]
    paths: [/paid/, /paid/, /*.pdf$]
    metadata: {team: news}
  - name: Paid videos
    contentTypes: [video]
`;
  const file = put('paid.yaml', text);
  const plan = await run('apply', '--dry-run', file);
  assert.equal(plan.status, 0, plan.stderr);
  assert.match(plan.stdout, /\+ paid\.yaml: Paid: to be created[^]* {4}\+ collection Paid news: to be created\n/);
  assert.match(plan.stdout, /\n3 to create, 0 to edit, 0 unchanged\n$/);
  assert.deepEqual(await collections('paid'), []);

  assert.equal((await run('apply', '--yes', file)).status, 0);
  const policy = await policyNamed('Paid');
  const [videos, news] = await collections('paid');
  assert.deepEqual(
    [news.policyId, news.hosts, news.paths, news.metadata, videos.policyId, videos.contentTypes],
    [policy.id, ['www.example.com'], ['/paid/', '/*.pdf$'], { team: 'news' }, policy.id, ['video']],
  );
  const again = await run('apply', '--yes', file);
  assert.match(
    again.stdout,
    /collection Paid news: unchanged \(col_\w+, version 1\)[^]*0 to create, 0 to edit, 3 unch/,
  );
  assert.equal((await run('diff', file, '--exit-code')).status, 0);

  put('paid.yaml', text.replace('/*.pdf$', '/*.doc$').replace('    metadata: {team: news}\n', ''));
  const differs = await run('diff', file, '--exit-code', '--json');
  assert.equal(differs.status, 1);
  assert.deepEqual(JSON.parse(differs.stdout)[0].collections[0], {
    name: 'Paid news',
    action: 'update',
    fields: [
      { path: 'paths', from: ['/paid/', '/*.pdf$'], to: ['/paid/', '/*.doc$'] },
      { path: 'metadata', from: { team: 'news' }, to: {} },
    ],
  });
  const edited = await run('apply', '--yes', '--json', file);
  assert.match(edited.stderr, / {4}~ collection Paid news: col_\w+, version 1, to be edited\n {8}paths: \[/);
  const [record] = JSON.parse(edited.stdout);
  assert.deepEqual([record.action, record.collections[0].version, record.collections[1].action], ['none', 2, 'none']);
  const edition = (await collections('paid news'))[0];
  assert.deepEqual([edition.paths, edition.metadata, edition.version], [['/paid/', '/*.doc$'], {}, 2]);
  assert.equal((await policyNamed('Paid')).version, 1);
});

test('a collection that follows the default policy is in its file, and still follows it', async () => {
  const site = await made(postern, '/v1/collections', {
    name: 'Follower',
    hosts: ['follows.example'],
    mode: 'observe',
  });
  for (const args of [[], ['--json']]) {
    const got = await run('get', 'pol_default', ...args);
    assert.match(got.stdout, /follows\.example/);
    const file = put(args.length === 0 ? 'default.yaml' : 'default.json', got.stdout);
    const applied = await run('apply', '--yes', file);
    assert.match(applied.stdout, /0 to create, 0 to edit, \d+ unchanged/, got.stdout);
    assert.doesNotMatch(applied.stdout, /is not in the file/);
    assert.equal((await run('diff', file, '--exit-code')).status, 0);
    assert.equal((await run('get', 'pol_default', ...args)).stdout, got.stdout);
  }
  // It follows the next default, too, and is then in the file of that one.
  const other = await makePolicy(postern, [], { name: 'Next default' });
  assertStatus(await postern.call('POST', `/v1/policies/${other.id}/make-default`), 200);
  assert.match(
    (await run('get', 'Next default')).stdout,
    /follows\.example[^]*policyId: null|policyId: null[^]*follows\.example/,
  );
  assert.doesNotMatch((await run('get', 'pol_default')).stdout, /follows\.example/);
  assertStatus(await postern.call('POST', '/v1/policies/pol_default/make-default'), 200);
  // A file without the line gives it the policy of the file; one with another policy is refused.
  const named =
    'id: pol_default\nname: Default\nrules: []\ncollections:\n  - {name: Follower, hosts: [follows.example], mode: observe';
  const pinned = await run('apply', '--dry-run', put('pinned.yaml', `${named}}\n`));
  assert.match(pinned.stdout, /policyId: none → "pol_default"/);
  const kept = await run('apply', '--dry-run', put('kept-null.yaml', `${named}, policyId: null}\n`));
  assert.match(kept.stdout, /collection Follower: unchanged/);
  const foreign = await run('lint', put('foreign.yaml', `${named}, policyId: pol_other}\n`));
  assert.equal(foreign.status, 2);
  assert.match(foreign.stderr, /policyId/);
  const created = await run(
    'apply',
    '--yes',
    put('created.yaml', `${named.replaceAll('ollower', 'resh')}, policyId: null}\n`),
  );
  assert.equal(created.status, 0, created.stderr);
  assert.equal((await collections('Fresh'))[0].policyId, null);
  assert.equal(site.policyId, null);
});

test('get writes collections that apply without a change; without the permission it says so', async () => {
  const { id } = await makePolicy(postern, [], { name: 'Kept' });
  await made(postern, '/v1/collections', {
    name: 'Kept: #1',
    description: 'no',
    hosts: ['*.kept.example'],
    contentTags: ['on', '1'],
    policyId: id,
    mode: 'observe',
    metadata: { a: { b: [1] } },
  });
  await made(postern, '/v1/collections', { name: 'Of the default', hosts: ['default.example'] });
  const got = await run('get', 'Kept');
  assert.match(got.stdout, /\ncollections:\n {2}- id: col_\w+\n {4}name: "?Kept: #1"?\n/);
  const applied = await run('apply', '--yes', put('kept.yaml', got.stdout));
  assert.match(applied.stdout, /0 to create, 0 to edit, 2 unchanged/, got.stdout);

  const key = await makeKey(postern, { permissions: ['policies:read'] });
  const narrow = await commandHere(['policies', 'get', 'Kept'], { env: { ...env, POSTERN_KEY: key }, cwd: folder });
  assert.equal(narrow.status, 0);
  assert.match(narrow.stderr, /Without its collections/);
  assert.doesNotMatch(narrow.stdout, /collections/);
  // A file without collections needs no permission to read them.
  const rules = await commandHere(['policies', 'diff', put('rules.yaml', narrow.stdout)], {
    env: { ...env, POSTERN_KEY: key },
    cwd: folder,
  });
  assert.equal(rules.status, 0, rules.stderr);
});

test('a collection of another policy moves to that of the file; one that no file names stays', async () => {
  const { id: from } = await makePolicy(postern, [], { name: 'From' });
  const { id: to } = await makePolicy(postern, [], { name: 'To' });
  const moving = await made(postern, '/v1/collections', { name: 'Moving', paths: ['/moving/'], policyId: from });
  await made(postern, '/v1/collections', { name: 'Staying', paths: ['/staying/'], policyId: to });
  const file = put('to.json', { name: 'To', rules: [], collections: [{ name: 'Moving', paths: ['/moving/'] }] });
  const { stdout } = await run('apply', '--yes', file);
  assert.match(stdout, new RegExp(`policyId: "${from}" → "${to}"\\n`));
  assert.match(stdout, /collection Staying \(col_\w+\) is not in the file and stays/);
  assert.equal((await postern.call('GET', `/v1/collections/${moving.id}`)).body.policyId, to);
  assert.equal((await collections('staying'))[0].policyId, to);
});

test('nothing is written if a collection is invalid, unclear, unknown or named twice', async () => {
  const paths = ['/x/'];
  for (const name of ['Twin', 'Twin']) await made(postern, '/v1/collections', { name, hosts: ['twin.example'] });
  const apply = (name: string, entries: object[], more: string[] = []) =>
    run('apply', '--yes', put(`${name}.json`, { name, rules: [], collections: entries }), ...more);
  const cases: [Promise<Ran>, number, RegExp][] = [
    [apply('A', [{ name: 'X', path: '/' }]), 2, /Unknown field `collections\[0\]\.path`; did you mean `paths`/],
    [apply('B', [{ name: 'X', paths: ['x'] }]), 2, /Line 1: `collections\[0\]\.paths\[0\]` must/],
    [apply('C', [{ name: 'X', hosts: [] }]), 2, /`collections\[0\]` needs hosts, paths/],
    [apply('D', [{ name: 'X', paths, policyId: 'pol_default' }]), 2, /`collections\[0\].policyId` must be null/],
    [apply('E', [{ name: 'Twin', paths }]), 1, /2 collections have the name "Twin": col_\w+, col_\w+/],
    [apply('F', [{ id: 'col_gone', name: 'X', paths }]), 1, /the collection col_gone, which the service does not/],
    [
      apply('G', [
        { name: 'X', paths },
        { name: 'X', paths: ['/y/'] },
      ]),
      2,
      /collection X, which another entry is for/,
    ],
  ];
  for (const [ran, status, message] of cases) {
    const { status: ended, stderr } = await ran;
    assert.equal(ended, status, stderr);
    assert.match(stderr, message);
  }
  for (const name of 'ABCDEFG') assert.equal(await policyNamed(name), undefined, name);
  assert.deepEqual(await collections('x'), []);
});

test('an edit that somebody made after the plan is not overwritten; ties are told', async () => {
  await made(postern, '/v1/collections', { name: 'Older', hosts: ['tie.example'], paths: ['/a'] });
  const entry = { name: 'Raced', hosts: ['tie.example'], paths: ['/a'] };
  const file = put('raced.json', { name: 'Raced', rules: [], collections: [entry] });
  assert.match((await run('apply', '--yes', file)).stderr, /! paths\[0\]: Some addresses .*"Older"/);
  const [collection] = await collections('raced');
  put('raced.json', { name: 'Raced', rules: [], collections: [{ ...entry, description: 'Ours' }] });
  let edited = false;
  const ran = await commandHere(['policies', 'apply', '--yes', join(folder, file)], {
    env,
    async out() {
      if (edited) return;
      edited = true;
      const path = `/v1/collections/${collection.id}`;
      assertStatus(await postern.call('PATCH', path, { body: { description: 'Theirs' } }), 200);
    },
  });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^precondition_failed/m);
  assert.equal((await collections('raced'))[0].description, 'Theirs');
});
