/** An import from CSV writes all lines or none, lists bad lines by number, and repeated changes nothing. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { commandHere } from '../../kit/command.ts';
import { startTestService } from '../../kit/service.ts';
import { assertStatus, made } from '../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const folder = mkdtempSync(join(tmpdir(), 'postern-partners-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const send = (csv: string, query = '') =>
  postern.call('POST', `/v1/requesters/import${query}`, { raw: csv, headers: { 'content-type': 'text/csv' } });
async function imported(csv: string, query?: string) {
  const answer = await send(csv, query);
  assertStatus(answer, 200);
  const { created, updated, unchanged } = answer.body;
  return { ...answer.body, counts: [created, updated, unchanged] };
}
async function faults(csv: string): Promise<string[]> {
  const answer = await send(csv);
  assertStatus(answer, 400);
  return answer.body.error.details.map(({ message }: { message: string }) => message);
}
const count = async (path: string): Promise<number> => (await postern.call('GET', path)).body.totalCount;
const changes = async (): Promise<number> => (await postern.call('GET', '/v1/audit-log?limit=100')).body.data.length;

const TABLE = [
  '\ufeffName;Contact name;email;Billing address;tags;id',
  'Northern Library;Jo Reyes;jo@library.example;"1 Harbour Road\r\nSomewhere";research|north;library',
  'Southern Press;;press@press.example;;;',
].join('\r\n');

test('it registers requesters, and repeated changes nothing', async () => {
  const tried = await imported(TABLE, '?dryRun=true');
  assert.deepEqual(tried.counts, [2, 0, 0]);
  assert.deepEqual(
    tried.requesters.map(({ line, id, outcome }: Record<string, unknown>) => [line, id, outcome]),
    [
      [2, 'library', 'created'],
      [4, null, 'created'],
    ],
  );
  assert.equal(await count('/v1/requesters'), 0, 'a dry run writes nothing');

  const first = await imported(TABLE);
  assert.deepEqual([first.counts, first.dryRun], [[2, 0, 0], false]);
  const { body: library } = await postern.call('GET', '/v1/requesters/library');
  const { name, contactName, email, billingAddress, tags, identities } = library;
  assert.deepEqual(
    { name, contactName, email, billingAddress, tags, identities },
    {
      name: 'Northern Library',
      contactName: 'Jo Reyes',
      email: 'jo@library.example',
      billingAddress: '1 Harbour Road\nSomewhere',
      tags: ['research', 'north'],
      identities: [],
    },
  );
  const before = await changes();
  assert.deepEqual((await imported(TABLE)).counts, [0, 0, 2]);
  assert.equal(await changes(), before, 'no change of it is logged');
  assert.equal(await count('/v1/requesters'), 2);
  assert.deepEqual([await count('/v1/licenses'), await count('/v1/requesters/library/tokens')], [0, 0]);

  const edit = 'name,email,contactName\nSouthern Press,,Ada\nNorthern Library,,\n';
  const [fault = '', ...others] = await faults(edit);
  assert.match(fault, /^Line 2: \S+ is registered with another contactName; changing it needs `update`/);
  assert.deepEqual(others, []);
  assert.equal(await changes(), before, 'registered requesters change only where the caller says so');
  const edited = await imported(edit, '?update=true');
  assert.deepEqual(edited.counts, [0, 1, 1]);
  assert.deepEqual(
    edited.requesters.map(({ changed }: Record<string, unknown>) => changed),
    [['contactName'], []],
  );
  const { body: press } = await postern.call('GET', `/v1/requesters/${edited.requesters[0].id}`);
  assert.deepEqual([press.contactName, press.email], ['Ada', 'press@press.example'], 'an empty cell keeps the value');
});

test('one bad line, and nothing is written', async () => {
  const before = await count('/v1/requesters');
  const found = await faults(
    'id,name,email\ngood,Good,\nbad id,Bad,\n,,x@example.com\nworse,Worse,nobody\n..,Dots,\na,b\n',
  );
  assert.deepEqual(
    found.map((message) => message.slice(0, 9)),
    ['Line 3: `', 'Line 4: a', 'Line 5: `', 'Line 6: `', 'Line 7: 2'],
    found.join('\n'),
  );
  assert.match(found[2] ?? '', /email/);
  assert.equal(await count('/v1/requesters'), before);
});

test('a name that a spreadsheet would run stays text in every file', async () => {
  await imported(`id,name\nformula,"'=1+1"\n`);
  assert.equal((await postern.call('GET', '/v1/requesters/formula')).body.name, '=1+1');
  const again = await imported('id,name\nformula,=1+1\n');
  assert.deepEqual(again.counts, [0, 0, 1]);
  const { text } = await postern.call('GET', '/v1/analytics/requesters', { headers: { accept: 'text/csv' } });
  assert.match(text, /^(?=[^]*'=1\+1)(?![^]*,=1)/);
});

test('what names a requester twice, or several, is refused', async () => {
  assert.deepEqual(await faults('id\nx\ny\nx\n'), ['Line 4: line 2 has the same id.']);
  assert.deepEqual(await faults('name\nTwice\nTwice\n'), ['Line 3: line 2 has the same name.']);
  for (const id of ['twin-1', 'twin-2']) await made(postern, '/v1/requesters', { id, name: 'Twin' });
  assert.deepEqual(await faults('name\nTwin\n'), ['Line 2: 2 requesters have this name; give an id.']);
  await made(postern, '/v1/requesters', { id: 'one', name: 'One' });
  assert.deepEqual(await faults('id,name\none,\n,One\n'), ['Line 3: line 2 is about one, too.']);
});

test('a file that is no such table is refused', async () => {
  assert.deepEqual(await faults('id,nmae\nx,X\n'), ['Line 1: "nmae" is no column; did you mean name?.']);
  assert.deepEqual(await faults('id,id\nx,y\n'), ['Line 1: two columns are id.']);
  assert.deepEqual(await faults('id,name\n'), ['Line 1: no rows follow; begin with a row of column names.']);
  assert.deepEqual(await faults('id,name\nx,"X\n'), ['Line 2: a quotation mark is not closed.']);
  const rows = Array.from({ length: 1001 }, (_, i) => `r${i}`).join('\n');
  assert.deepEqual(await faults(`id\n${rows}\n`), ['Line 1002: an import has 1000 rows at most.']);
  assert.equal((await send(`id\n${'x'.repeat(1 << 20)}`)).status, 413);
});

test('the command reports what it did, and each bad line', async () => {
  const file = join(folder, 'partners.csv');
  const run = (...args: string[]) =>
    commandHere(['requesters', 'import', file, ...args], {
      env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key },
    });
  writeFileSync(file, 'id,name,email\nfrom-file,From a File,f@example.com\n');
  assert.equal(
    (await run('--dry-run')).stderr,
    'Nothing was written. An import would give: 1 created, 0 updated, 0 unchanged.\n',
  );
  assert.equal((await run()).stderr, 'Requesters: 1 created, 0 updated, 0 unchanged.\n');
  assert.equal(JSON.parse((await run('--json')).stdout).unchanged, 1);
  writeFileSync(file, 'id,name,email\nfrom-file,From a File,nobody\nx y,,\n');
  const { status, stderr } = await run();
  assert.equal(status, 2);
  assert.match(stderr, /Nothing was imported\.\nLine 2: .*email.*\nLine 3: .*id/);
});

test('the commands of the page run as they stand', async () => {
  await using own = await startTestService();
  const page = readFileSync('docs/requesters.md', 'utf8');
  const [, script = ''] = /```sh\n(cat > partners\.csv[^]*?)```/.exec(page) ?? [];
  const node = `"${process.execPath}" "${resolve('bin/postern.js')}"`;
  const env = { ...process.env, POSTERN_URL: own.url, POSTERN_KEY: own.key };
  const { stderr } = await promisify(execFile)('sh', ['-uc', script.replaceAll('npx postern', node)], {
    cwd: folder,
    env,
  });
  const counts = '2 created, 0 updated, 0 unchanged.';
  assert.equal(stderr, `Nothing was written. An import would give: ${counts}\nRequesters: ${counts}\n`);
});
