/** The commands for decisions, usage, keys, requesters, licenses and webhooks, against a real service. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { command, commandHere, type Ran, startCommand } from '../../kit/command.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const run = (...args: string[]): Promise<Ran> => commandHere(args, { env });

const { body: policy } = await postern.call('POST', '/v1/policies', {
  body: {
    name: 'Research',
    rules: [
      {
        action: 'allow',
        conditions: { licenseType: 'research' },
        permissions: ['full_access'],
        rateLimit: { requests: 2, period: 'day' },
      },
      { action: 'deny', conditions: { default: true }, message: 'Write to us.' },
    ],
  },
});
await postern.call('POST', '/v1/content', {
  body: {
    externalId: 'tides',
    title: 'Tides',
    type: 'article',
    source: 'https://example.com/tides',
    policyId: policy.id,
  },
});

test('a command that reads the data folder says how to name another one', async () => {
  for (const args of [
    ['backup', '--to', '/nowhere/copy'],
    ['archive', '--before', '2020-01-01', '--to', '/nowhere/archive'],
  ]) {
    const { status, stderr } = await commandHere(args, { env: { POSTERN_DATA_DIR: '/nowhere/data' } });
    assert.equal(status, 1);
    assert.equal(stderr, 'There is no installation in /nowhere/data. Name its folder with --data-dir.\n');
  }
  const { status, stderr } = await commandHere(['restore', '--from', '/nowhere/copy', '--data-dir', '/nowhere/data']);
  assert.equal(status, 1);
  assert.equal(stderr, 'There is no backup in /nowhere/copy. Name the folder that postern backup wrote.\n');
});

test('from a requester to its license to its decisions to the report', async () => {
  assert.equal(
    (await run('requesters', 'create', 'university', '--name', 'The university', '--type', 'academic', '--tag', 'a'))
      .stdout,
    'university\n',
  );
  const denied = await run('check', 'tides', '--requester', 'university', '--explain');
  assert.equal(denied.status, 3);
  assert.match(denied.stdout, /^✗ denied: no_license\n {2}message +Write to us\.\n/);
  assert.match(denied.stdout, / {2}○ rules\[0\] allow: does not match\n {6}✗ licenseType: expects "research", is \[\]/);
  assert.match(denied.stdout, / {2}● rules\[1\] deny: decides\n/);
  assert.match(denied.stdout, /→ a valid license of type research\n/);

  const license = await run(
    'licenses',
    'create',
    'university',
    '--type',
    'research',
    '--content',
    'tides',
    '--feature',
    'f',
  );
  assert.match(license.stdout, /^lic_\w+\n$/);
  const id = license.stdout.trim();
  const allowed = await run('check', 'tides', '--requester', 'university');
  assert.equal(allowed.status, 0);
  assert.match(allowed.stdout, /limit +1 of 2 per day left/);
  assert.match(
    (await run('licenses', 'list', '--requester', 'university')).stdout,
    new RegExp(`${id} +university +research +f +items tides +valid`),
  );

  const edited = await run('requesters', 'edit', 'university', '--name', 'A university', '--tag', 'b', '--json');
  const { name, type, tags } = JSON.parse(edited.stdout);
  assert.deepEqual([name, type, tags], ['A university', 'academic', ['b']]);
  const expired = await run('licenses', 'edit', id, '--expires', '2020-01-01T00:00:00Z');
  assert.match(expired.stderr, /not valid now/);
  assert.match((await run('check', 'tides', '--requester', 'university', '--dry-run')).stdout, /license_expired/);
  const days = await run('licenses', 'edit', id, '--starts', '2026-01-01', '--expires', '2028-02-29', '--json');
  const { startsAt: first, expiresAt: end } = JSON.parse(days.stdout);
  assert.deepEqual([first, end], ['2026-01-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z']);
  assert.match((await run('licenses', 'list', '--requester', 'university')).stdout, / 2028-02-29\n/);
  for (const [option, typed] of [
    ['--expires', '2027-02-30'],
    ['--expires', 'tomorrow'],
    ['--starts', '2027-1-1'],
  ] as const) {
    const { status, stderr } = await run('licenses', 'edit', id, option, typed);
    assert.equal(status, 2);
    assert.match(stderr, new RegExp(`^${option} takes a day such as 2026-12-31.*not "${typed}"\\.$`, 'm'));
  }
  const renewed = await run('licenses', 'edit', id, '--expires', 'never', '--tag', 'x', '--tag', 'y', '--json');
  const { expiresAt, features, scope } = JSON.parse(renewed.stdout);
  assert.deepEqual([expiresAt, features, scope], [null, ['f'], { tags: ['x', 'y'] }]);
  await run('licenses', 'edit', id, '--content', 'tides');
  for (const args of [
    ['requesters', 'edit', 'university'],
    ['licenses', 'edit', id],
  ]) {
    const refused = await run(...args);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /Name at least one field to change/);
  }

  await run('requesters', 'suspend', 'university');
  assert.match((await run('check', 'tides', '--requester', 'university', '--dry-run')).stdout, /requester_suspended/);
  await run('requesters', 'activate', 'university');
  assert.equal((await run('licenses', 'revoke', id)).status, 2);
  assert.equal((await run('licenses', 'revoke', id, '--yes')).status, 0);
  assert.equal((await run('check', 'tides', '--requester', 'university', '--dry-run')).status, 3);
  assert.match(
    (await run('requesters', 'list', '--type', 'academic')).stdout,
    /university +A university +academic +b +active/,
  );

  const { stdout } = await run('usage', '--period', '7d');
  assert.match(stdout, /^2 requests from 1 requester for 1 item\n1 allowed \(50 %\), 1 denied \(50 %\)\n/);
  assert.match(stdout, /\d{4}-\d\d-\d\d +2 +█+░+\n/);
  assert.match(stdout, /Tides +cnt_\w+ +2\n/);
  assert.match(stdout, /A university +university +2\n/);
  assert.match(stdout, /no_license +1\n/);
});

test('a check by URL is decided by the item served there, else by its collection', async () => {
  const site = ['--host', 'checks.example', '--path', '/'];
  const { stdout: made } = await run('collections', 'create', 'Checks', ...site, '--mode', 'observe');
  const id = made.trim();
  const agent = ['--user-agent', 'GPTBot/1.2'];
  const page = await run('check', 'https://checks.example/unregistered?x=1', ...agent);
  assert.equal(page.status, 3);
  assert.match(page.stdout, new RegExp(`^ {2}url +checks\\.example/unregistered, in the collection ${id}$`, 'm'));
  assert.match(page.stdout, /^ {2}requester +anonymous, its user agent names GPTBot$/m);
  assert.match(page.stdout, /^ {2}enforced +no, the collection only observes$/m);
  const body = { externalId: 'served', title: 'Served', type: 'article', source: 'https://checks.example/served' };
  await postern.call('POST', '/v1/content', { body });
  const item = await run('check', 'HTTPS://checks.example/served', '--dry-run');
  assert.match(item.stdout, /^ {2}item +served \(cnt_\w+\)$/m);
  const unknown = await run('check', 'http://unknown.example/');
  assert.deepEqual([unknown.status, /no collection has it/.test(unknown.stderr)], [1, true]);
});

test('collections, from the first to none', async () => {
  const create = ['collections', 'create', 'The site', '--host', 'www.example.com', '--path', '/', '--path', '/a*'];
  const { stdout } = await run(...create, '--policy', policy.id, '--tag', 'x');
  const id = stdout.trim();
  assert.match(id, /^col_\w{26}$/);
  const tied = await run('collections', 'create', 'Tied', '--path', '/', '--host', 'www.example.com', '--tag', 'y');
  assert.equal(tied.status, 0);
  assert.match(tied.stderr, /^Warning: paths\[0\]: .*"The site" .*older\.\n$/);
  const { stdout: listed } = await run('collections', 'list', '--search', 'site');
  assert.match(listed, /^col_\S+ +The site +enforce +www.example.com +\/ \/a\* +x +pol_\S+$/m);
  const url = 'https://www.example.com/a.html';
  const { stdout: none } = await run('collections', 'match', url);
  assert.equal(none, 'item        none is registered there\ncollection  none\n');
  const page = { externalId: 'matched', title: 'Matched', type: 'article', source: url, tags: ['x', 'y'] };
  const { id: itemId } = (await postern.call('POST', '/v1/content', { body: page })).body;
  const { status, stdout: matched } = await run('collections', 'match', url);
  assert.equal(status, 0);
  assert.match(matched, new RegExp(`^item +Matched \\(${itemId}\\)\ncollection +The site \\(${id}\\)\n`));
  assert.match(matched, /^matched by +path \/a\*, host www\.example\.com, tag x$/m);
  assert.match(matched, new RegExp(`^policy +${policy.id}, of the collection$`, 'm'));
  assert.match(matched, /^less specific +Tied .* by path \/, .*, tag y: its path pattern is shorter$/m);
  const folder = mkdtempSync(join(tmpdir(), 'postern-match-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const tried = async (collection: object | string, to = url) => {
    const file = join(folder, 'tried.json');
    writeFileSync(file, typeof collection === 'string' ? collection : JSON.stringify(collection));
    return run('collections', 'match', to, '--collection', file);
  };
  const longer = await tried({ hosts: ['www.example.com'], paths: ['/a.html'] });
  assert.match(longer.stdout, /^matched by +path \/a\.html, host www\.example\.com$/m);
  assert.match(longer.stdout, new RegExp(`^less specific +The site \\(${id}\\)`, 'm'));
  assert.match(longer.stdout, /\n\nYour collection matches, and is the most specific one\.\n$/);
  assert.match((await tried({ paths: ['/'] })).stdout, /Your collection matches; another one is more specific\.\n$/);
  const moved = await tried({ id, hosts: ['www.example.org'] });
  assert.match(moved.stdout, /^collection +Tied [^]*\n\nYour collection does not match by its hosts\.\n$/m);
  const odder = await tried({ hosts: ['-'] });
  assert.deepEqual([odder.status, /collection\.hosts\[0\]/.test(odder.stderr)], [1, true], odder.stderr);
  assert.match((await tried('{')).stderr, /holds no collection in JSON/);
  assert.equal((await run('collections', 'match', url)).stdout, matched, 'nothing is stored');
  const odd = await run('collections', 'match', 'https://www.example.com/a/../b');
  assert.deepEqual([odd.status, /Servers may read/.test(odd.stderr)], [1, true]);
  const edit = ['collections', 'edit', id, '--policy', 'default', '--description', 'D', '--mode', 'observe'];
  assert.equal((await run(...edit)).status, 0);
  const shown = JSON.parse((await run('collections', 'show', id)).stdout);
  assert.deepEqual([shown.policyId, shown.description, shown.mode, shown.paths], [null, 'D', 'observe', ['/', '/a*']]);
  assert.equal((await run('collections', 'edit', id)).status, 2);
  assert.equal((await run('collections', 'edit', id, '--path', 'a')).status, 1);
  assert.equal((await run('collections', 'delete', id)).status, 2);
  assert.equal((await run('collections', 'delete', id, '--yes')).status, 0);
  assert.equal((await run('collections', 'show', id)).status, 1);
});

test('a licence that the command vouches for, and every word of a check, reach the service', async () => {
  const { stdout, status } = await run(
    ...'check tides --requester x --permission full_access --purpose p --ip 203.0.113.7 --country NO --user-agent'.split(
      ' ',
    ),
    'GPT Bot',
    '--license-type',
    'research',
    '--license-feature',
    'f',
    '--json',
  );
  assert.equal(status, 0);
  const { body } = await postern.call('GET', `/v1/access/decisions/${JSON.parse(stdout).id}`);
  assert.deepEqual(
    [body.permission, body.purpose, body.context, body.license],
    [
      'full_access',
      'p',
      { ip: '203.0.113.7', country: 'NO', userAgent: 'GPT Bot' },
      { type: 'research', features: ['f'] },
    ],
  );
});

test('usage is drawn to the width of the terminal', async () => {
  const { stdout } = await commandHere(['usage'], { env, width: 60, color: false });
  assert.ok(
    stdout.split('\n').every((line) => line.length <= 60),
    stdout,
  );
});

test('a file of variables with a line that says nothing is refused, by its number alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-env-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'some.env');
  for (const [text, line] of [
    ['POSTERN_URL http://127.0.0.1:1\n', 1],
    ['# a comment\n\nexport A=b\nsecret-that-was-wrapped\n', 4],
    ['A="two\nlines"\nB\n', 3],
    ['A="never closed\n', 1],
  ] as const) {
    writeFileSync(file, text);
    const { status, stderr } = await commandHere(['--env-file', file, 'status']);
    assert.deepEqual(
      [status, stderr],
      [2, `Line ${line} of ${file} is not NAME=value. Mend it, or put # before it.\n`],
    );
  }
  writeFileSync(
    file,
    `# ours\n\nexport POSTERN_URL = "${postern.url}" # here\nA="two\nlines"\nPOSTERN_KEY_FILE=nowhere\n`,
  );
  const { status } = await commandHere(['--env-file', file, 'status'], { env: { POSTERN_KEY: postern.key } });
  assert.equal(status, 0, 'the environment wins, also with the key');
});

test('the help of a command of a command; an option that would be ignored; what a license covers', async () => {
  const { stdout, status } = await run('help', 'policies', 'apply');
  assert.equal(status, 0);
  assert.match(stdout, /Usage: postern policies apply/);
  assert.equal((await run('help', 'policies', 'none')).status, 2);
  const ignored = await run('check', 'tides', '--license-feature', 'training');
  assert.equal(ignored.status, 2);
  assert.match(ignored.stderr, /--license-type/);
  const tags = ['a', 'b', 'c', 'd'].flatMap((tag) => ['--tag', tag]);
  await run('requesters', 'create', 'scoped');
  assert.equal((await run('licenses', 'create', 'scoped', '--type', 'research', ...tags)).status, 0);
  const list = await commandHere(['licenses', 'list', '--requester', 'scoped'], { env, width: 200 });
  assert.match(list.stdout, /tags a, b, c and 1 more/);
});

test('a check with a test key says so', async () => {
  const made = await postern.call('POST', '/v1/api-keys', { body: { name: 't', type: 'secret', mode: 'test' } });
  const { stdout } = await commandHere(['check', 'tides'], { env: { ...env, POSTERN_KEY: made.body.key } });
  assert.match(stdout, /recorded {4}as dec_\w+, apart, as a test/);
});

test('a file that is not there is refused in the same words by all commands', async () => {
  const absent = 'absent.json';
  const taking = [
    ['collections', 'match', 'https://example.com/a', '--collection', absent],
    ['licenses', 'create', 'gptbot', '--type', 'research', '--terms', absent],
    ['statements', 'verify', '--statement', absent],
    ['statements', 'reconcile', 'stm_1', absent],
    ['content', 'import', absent],
    ['audit', absent],
    ['--env-file', absent, 'status'],
  ];
  for (const args of taking) {
    const { status, stderr } = await run(...args);
    assert.deepEqual([status, stderr], [2, `Cannot read ${absent}: it does not exist.\n`], args.join(' '));
  }
  // A setting may hold the secret itself.
  const secret = `whsec_${'a'.repeat(300)}`;
  for (const [name, args] of [
    ['POSTERN_KEY_FILE', ['status']],
    ['POSTERN_WEBHOOK_SECRET_FILE', ['webhooks', 'listen']],
  ] as const) {
    const { status, stderr } = await commandHere(args, { env: { POSTERN_URL: postern.url, [name]: secret } });
    assert.deepEqual([status, stderr], [2, `Cannot read the file that ${name} names: ENAMETOOLONG.\n`]);
  }
});

describe('decisions', () => {
  test('are exported as they are, filtered, as NDJSON or CSV', async () => {
    await run('check', 'tides', '--requester', 'export-me');
    const { stdout, status } = await run('decisions', 'export', '--requester', 'export-me', '--denied');
    assert.equal(status, 0);
    assert.equal(JSON.parse(stdout).requesterId, 'export-me');
    const csv = await run('decisions', 'export', '--requester', 'export-me', '--format', 'csv');
    assert.match(csv.stdout, /^id,created,[^]*\r\n.*export-me/);
    assert.equal((await run('decisions', 'export', '--requester', 'nobody')).stdout, '');
  });

  test('are followed: the last ones first, then each new one once, in their order', async () => {
    const ask = (requesterId: string) =>
      postern.call('POST', '/v1/access/check', { body: { contentId: 'tides', requesterId } });
    for (const id of ['t1', 't2', 't3']) await ask(id);
    const { child, written, ended } = startCommand(['decisions', 'tail', '--last', '2', '--json', '--denied'], { env });
    await until('it has begun', () => written.stdout.includes('t3'));
    const more = Array.from({ length: 120 }, (_, i) => `n${i}`);
    for (const id of more) await ask(id);
    await until('the last is there', () => written.stdout.includes('"n119"'));
    child.kill('SIGINT');
    await ended;
    const ids = written.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).requesterId);
    assert.deepEqual(ids, ['t2', 't3', ...more]);
  });
});

test('keys are shown once, on stdout alone, and stop working when revoked', async () => {
  const made = await run('keys', 'create', 'Reader', '--permission', 'content:read', '--allow-ip', '127.0.0.0/8');
  assert.match(made.stdout, /^svc_sk_\w+\n$/);
  const key = made.stdout.trim();
  const id = /key_\w+/.exec(made.stderr)?.[0] ?? '';
  assert.ok(!made.stderr.includes(key));
  const read = (with_: string) => command(['content', 'list', '--json'], { env: { ...env, POSTERN_KEY: with_ } });
  assert.equal((await read(key)).status, 0);
  assert.match(
    (await command(['policies', 'list'], { env: { ...env, POSTERN_KEY: key } })).stderr,
    /^insufficient_permissions: .*policies:read/,
  );
  const rotated = await run('keys', 'rotate', id);
  assert.equal((await read(key)).status, 1);
  assert.equal((await read(rotated.stdout.trim())).status, 0);
  assert.match((await run('keys', 'list')).stdout, /Reader +svc_sk_\w+ +content:read/);
  const next = /key_\w+/.exec(rotated.stderr)?.[0] ?? '';
  assert.equal((await run('keys', 'revoke', next)).status, 2);
  assert.equal((await run('keys', 'revoke', next, '--yes')).status, 0);
  assert.equal((await read(rotated.stdout.trim())).status, 1);
});

describe('webhooks listen', () => {
  const hooks = async () => (await postern.call('GET', '/v1/webhooks')).body.data;

  test('makes a webhook, shows what comes, verified, and deletes it at Ctrl-C', async () => {
    const { child, written, ended } = startCommand(
      ['webhooks', 'listen', '--create', '--event', 'content.*', '--json'],
      { env },
    );
    await until('it listens', () => written.stderr.includes('delivers to'));
    assert.deepEqual(pluck(await hooks(), 'events'), [['content.*']]);
    await postern.call('POST', '/v1/content', {
      body: { externalId: 'h', title: 'H', type: 'article', source: 'https://example.com/h' },
    });
    await until('the event is shown', () => written.stdout.includes('\n'));
    const { verified, event } = JSON.parse(written.stdout);
    assert.deepEqual([verified, event.type, event.data.object.externalId], [true, 'content.created', 'h']);
    child.kill('SIGINT');
    assert.equal((await ended).status, 0);
    assert.deepEqual(await hooks(), []);
  });

  test('shows and refuses what is not signed with the secret, is old, or is not signed', async () => {
    const secret = `whsec_${Buffer.from('a secret of 32 bytes, or nearly!').toString('base64')}`;
    const { child, written, ended } = startCommand(['webhooks', 'listen'], { env: { POSTERN_WEBHOOK_SECRET: secret } });
    const url = await until('it listens', () => /http:\S+\//.exec(written.stderr)?.[0]);
    const send = async (body: string, at: number, key = secret, signed = true): Promise<number> => {
      const timestamp = String(Math.floor(at / 1000));
      const bytes = Buffer.from(key.slice(6), 'base64');
      const signature = createHmac('sha256', bytes).update(`evt_1.${timestamp}.${body}`).digest('base64');
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,AAAA v1,${signature}`,
      };
      return (await fetch(url, { method: 'POST', body, headers: signed ? headers : {} })).status;
    };
    assert.equal(await send('{"type":"a.b"}', Date.now()), 204);
    assert.equal(await send('{"type":"a.b"}', Date.now(), `whsec_${Buffer.from('another').toString('base64')}`), 401);
    assert.equal(await send('{"type":"a.b"}', Date.now() - 3_600_000), 401);
    assert.equal(await send('{"type":"a.b"}', Date.now(), secret, false), 401);
    child.kill('SIGINT');
    const { stdout } = await ended;
    assert.deepEqual(
      stdout.split('\n').filter((line) => /^[✓✗]/.test(line)),
      ['✓ a.b  evt_1', '✗ a.b  evt_1: no_matching_signature', '✗ a.b  evt_1: too_old', '✗ a.b  : missing_header'],
    );
  });

  test('wants a secret when it makes no webhook', async () => {
    const { status, stderr } = await commandHere(['webhooks', 'listen']);
    assert.equal(status, 2);
    assert.match(stderr, /POSTERN_WEBHOOK_SECRET/);
  });
});

test('tokens of a requester: the secret goes to stdout once, everything else to stderr', async () => {
  await run('requesters', 'create', 'holder');
  const created = await run('requesters', 'tokens', 'create', 'holder', 'Production', '--expires', '2099-12-31');
  assert.match(created.stdout, /^svc_rt_[0-9A-Za-z]{49}\n$/);
  const id = /^tok_\w+/.exec(created.stderr)?.[0] ?? '';
  const list = await run('requesters', 'tokens', 'list', 'holder');
  assert.match(list.stdout, new RegExp(`${id} +Production +svc_rt_\\w{5} +2099-12-31`));
  const rotated = await run('requesters', 'tokens', 'rotate', 'holder', id, '--grace', '60');
  assert.match(rotated.stdout, /^svc_rt_[0-9A-Za-z]{49}\n$/);
  assert.notEqual(rotated.stdout, created.stdout);
  const refused = await run('requesters', 'tokens', 'revoke', 'holder', id);
  assert.notEqual(refused.status, 0, 'not without a confirmation');
  assert.equal((await run('requesters', 'tokens', 'revoke', 'holder', id, '--yes')).status, 0);
  const gone = await run('requesters', 'tokens', 'revoke', 'holder', id, '--yes');
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /has no token/);
});
