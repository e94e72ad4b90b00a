/** `postern policies test`: what it prints and how it ends, for files that pass, fail and are not valid. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-policy-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command in the folder of the files. */
const run = (args: string[]): Promise<Ran> => commandHere(['policies', 'test', ...args], { cwd: folder });

function put(name: string, content: unknown): string {
  const isRaw = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(join(folder, name), isRaw ? content : JSON.stringify(content));
  return name;
}

const allowResearch = {
  action: 'allow',
  conditions: { licenseType: 'research' },
  permissions: ['full_access', 'training'],
};
const policy = (cases: unknown[], more: object = {}) => ({ name: 'A policy', rules: [allowResearch], cases, ...more });
const one = (check: unknown, expect: unknown) => ({ name: 'a case', check, expect });
const licensed = { requesterId: 'r', licenses: [{ type: 'research' }] };

/** Returns the output for one case of a policy, without starting a process. */
const printed = (file: unknown, { color = false, now = Date.parse('2026-11-21T09:30:00Z') } = {}): Promise<Ran> =>
  commandHere(['policies', 'test', join(folder, put('one.json', file))], { color, now: () => now });

const passes = async (file: unknown, more = {}) => {
  const { status, stdout, stderr } = await printed(file, more);
  assert.equal(status, 0, stdout + stderr);
};

describe('exit status and output', () => {
  test('0 when every case passes', async () => {
    put('good.json', policy([{ ...one(licensed, { allowed: true, reason: null, rule: 0 }), name: 'a partner' }]));
    put(
      'good.yaml',
      'name: In YAML\nrules: []\ncases:\n  - {name: nobody, check: {}, expect: {allowed: false, rule: null}}\n',
    );
    assert.deepEqual(await run(['good.json', 'good.yaml']), {
      status: 0,
      stdout: 'good.json: A policy\n  ✓ a partner\n\ngood.yaml: In YAML\n  ✓ nobody\n\n2 cases: 2 passed, 0 failed\n',
      stderr: '',
    });
  });

  test('1 when a case fails, which is told with what decided', async () => {
    const rules = [{ action: 'deny', conditions: { purpose: 'training' } }, allowResearch];
    const expect = { allowed: true, reason: null, permissions: ['training'], rule: 1 };
    put(
      'bad.json',
      policy([{ ...one({ ...licensed, purpose: 'training' }, expect), name: 'a partner trains' }], { rules }),
    );
    assert.deepEqual(await run(['bad.json']), {
      status: 1,
      stdout: [
        'bad.json: A policy',
        '  ✗ a partner trains',
        '      allowed: expected true, got false',
        '      reason: expected none, got policy_denied',
        '      permissions: expected ["training"], got []',
        '      rule: expected rules[1], got rules[0]',
        '      decided by rules[0] (deny {"purpose":"training"})',
        '',
        '1 case: 0 passed, 1 failed',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('what decided may be no rule at all', async () => {
    const expect = { allowed: true };
    const given = { ...licensed, requester: {} };
    for (const [check, decider] of [
      [{}, 'the default action (deny): no rule matches'],
      [{ ...given, requester: { suspended: true } }, 'no rule: the requester is suspended'],
      [{ ...given, content: { archived: true } }, 'no rule: the item is archived'],
    ] as const) {
      const { status, stdout } = await printed(policy([one(check, expect)]));
      assert.equal(status, 1);
      assert.ok(stdout.includes(`decided by ${decider}\n`), stdout);
    }
  });

  test('2 for a file that is not valid, in the words of the API; the others run all the same', async () => {
    put('fine.json', policy([one(licensed, { allowed: true })]));
    put('faulty.yaml', 'name: x\nrules:\n  - {action: alow}\ncases: [{name: n, check: {purpos: a}, expect: {}}]\n');
    const { status, stdout, stderr } = await run(['faulty.yaml', 'fine.json']);
    assert.equal(status, 2);
    assert.equal(stdout, 'fine.json: A policy\n  ✓ a case\n\n1 case: 1 passed, 0 failed; 1 file invalid\n');
    assert.equal(
      stderr,
      [
        '✗ faulty.yaml is not a valid policy file',
        '  Line 3: `rules[0].action` must be one of allow, deny (nearest: allow).',
        '  Line 4: Unknown field `cases[0].check.purpos`; did you mean `purpose`?',
        '  Line 4: `cases[0].expect.allowed` is required.',
        '',
        '',
      ].join('\n'),
    );
  });

  test('2 for what is no JSON, no YAML, no text, no file', async () => {
    const rows: [string, string | Uint8Array, RegExp][] = [
      ['a.json', '{"name": "x",\n "rules": [}', /The file is not valid JSON \(line 2, column \d+\)\.$/m],
      ['b.json', '', /not valid JSON/],
      [
        'b2.json',
        '{"name": "x", "rules": [{"action": "deny", "action": "allow"}]}',
        /rules\[0\]\.action is given more than once/,
      ],
      ['c.json', '[]', /The file must be an object\./],
      ['d.yaml', 'name: x\nrules: [\n', /not valid YAML: .* \(line 3, column 1\)\.$/m],
      ['e.yaml', 'name: x\nname: y\nrules: []\n', /not valid YAML: Map keys must be unique \(line 2, column 1\)/],
      ['f.yaml', 'name: x\nrules: []\n---\nname: y\n', /it holds several documents; keep one \(line 3/],
      ['g.yaml', 'name: !!js/function x\nrules: []\n', /not valid YAML: Unresolved tag/],
      ['h.yaml', 'name: *gone\nrules: []\n', /not valid YAML: Unresolved alias/],
      ['i.yaml', '&a [*a, *a]\n', /nested more than 32 levels deep/],
      [
        'j.yaml',
        `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefghi'].map((x, i) => `${x}: &${x} [${`*${'abcdefgh'[i]},`.repeat(9)}]`).join('\n')}\n`,
        /not valid YAML: Excessive alias count/,
      ],
      ['k.yaml', Uint8Array.from([0x6e, 0xff]), /The file is not valid UTF-8/],
      ['l.json', '{"name": "x\\u0000", "rules": []}', /`name` contains a NUL/],
      [
        'm.json',
        JSON.stringify(policy([one({ content: { metadata: { n: 2 ** 53 } } }, { allowed: true })])),
        /metadata\.n` is a number that JSON cannot carry/,
      ],
      ['n.yaml', '', /The file must be an object/],
    ];
    for (const [name, content] of rows) put(name, content);
    const { status, stderr, stdout } = await run([...rows.map(([name]) => name), 'gone.yaml', '.']);
    assert.equal(status, 2);
    assert.equal(stdout, '0 cases: 0 passed, 0 failed; 17 files invalid\n');
    const told = stderr.split('✗ ').slice(1);
    for (const [i, [name, , message]] of rows.entries()) {
      const text = told[i] ?? '';
      assert.ok(text.startsWith(`${name} is not a valid policy file\n`), text);
      assert.match(text, message, name);
    }
    assert.match(told.at(-2) as string, /^gone\.yaml .*\n {2}Cannot read the file: it does not exist\.$/m);
    assert.match(told.at(-1) as string, /Cannot read the file: it is a folder\./);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

  test('says how it is used, and what it does not know', async () => {
    const none = await run([]);
    assert.deepEqual([none.status, none.stdout], [2, '']);
    assert.match(none.stderr, /missing required argument 'file'/);
    const wrong = await run(['--verbose', 'good.json']);
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--verbose/);
    const help = await run(['--help']);
    assert.deepEqual([help.status, help.stderr], [0, '']);
    assert.match(help.stdout, /^Examples:\n {2}\$ \S+ policies test .*\n\nUsage: postern policies test/);
  });

  test('a file without cases is valid, and it is said that there are none', async () => {
    for (const cases of [undefined, []]) {
      const { status, stdout } = await printed({ name: 'A policy', rules: [], cases });
      assert.equal(status, 0);
      assert.match(stdout, /\n {2}no cases\n\n0 cases: /);
    }
  });

  test('color on a terminal only', async () => {
    const piped = await run(['good.json']);
    assert.ok(!piped.stdout.includes('\x1b'));
    const file = policy([one(licensed, { allowed: true })]);
    assert.ok((await printed(file, { color: true })).stdout.includes('\x1b[32m✓\x1b[39m'));
    assert.ok(!(await printed(file)).stdout.includes('\x1b'));
  });

  test('what a file says does not command the terminal', async () => {
    const { stderr } = await printed({ name: 'x', rules: [], '\x1b[2J\x9b1m': 1, '\u202e': 2 });
    assert.match(stderr, /Unknown field/);
    for (const control of ['\x1b', '\x9b', '\u202e']) assert.ok(!stderr.includes(control));
    const { stdout } = await printed({ name: 'x\u202e', rules: [], cases: [one({}, { allowed: false })] });
    assert.ok(!stdout.includes('\u202e'));
  });
});

describe('what a case says is what is decided on', () => {
  const holds = (conditions: object, check: object) =>
    passes(policy([one(check, { allowed: true, rule: 0 })], { rules: [{ action: 'allow', conditions }] }));
  const not = (conditions: object, check: object) =>
    passes(policy([one(check, { allowed: false, rule: null })], { rules: [{ action: 'allow', conditions }] }));

  test('the item', async () => {
    await holds({ contentId: 'a' }, { contentId: 'a' });
    await holds({ contentId: 'a' }, { content: { externalId: 'a' } });
    await holds({ contentId: ['a'] }, { contentId: 'cnt_1', content: { externalId: 'a' } });
    await holds({ contentId: 'cnt_1' }, { contentId: 'cnt_1', content: { externalId: 'a' } });
    await not({ contentId: 'a' }, {});
    await holds({ contentType: 'article' }, {});
    await holds({ contentType: 'dataset' }, { content: { type: 'dataset' } });
    await holds({ contentTags: 'x' }, { content: { tags: ['y', 'x'] } });
    await holds({ contentTagsNot: 'x' }, {});
    await holds({ contentMetadata: { year: [2025, 2026] } }, { content: { metadata: { year: 2026 } } });
    await not({ contentMetadataNot: { year: 2026 } }, {});
    await holds({ contentMetadata: { 1: 'x', b: 'y' } }, { content: { metadata: { b: 'y', 1: 'x' } } });
  });
  test('who asks', async () => {
    await holds({ requesterId: 'r' }, { requesterId: 'r' });
    await not({ requesterIdNot: 'x' }, {});
    await holds({ requesterType: 't' }, { requester: { type: 't' } });
    await holds({ requesterTagsNot: 'x' }, { requesterId: 'r', requester: {} });
    await not({ requesterTagsNot: 'x' }, { requesterId: 'r' });
    await holds({ requesterMetadata: { tier: 'gold' } }, { requester: { metadata: { tier: 'gold' } } });
  });
  test('the licences', async () => {
    const lasting = { type: 'a', features: ['f'], startsAt: '2026-01-01T00:00:00Z', expiresAt: '2027-01-01T00:00:00Z' };
    await holds({ licenseType: 'a', licenseFeatures: ['f'] }, { licenses: [lasting] });
    await not(
      { licenseType: 'a', licenseFeatures: ['f'] },
      { licenses: [{ type: 'a' }, { type: 'b', features: ['f'] }] },
    );
    await not({ hasValidLicense: true }, { licenses: [lasting], at: '2025-12-31T23:59:59Z' });
    await holds({ hasValidLicense: true }, { licenses: [lasting], at: '2026-12-31T23:59:59.999Z' });
    await not({ hasValidLicense: true }, { licenses: [lasting], at: '2027-01-01T00:00:00Z' });
    await not({ hasValidLicense: true }, { licenses: [{ ...lasting, scope: { tags: ['x'] } }] });
    await holds(
      { hasValidLicense: true },
      { licenses: [{ ...lasting, scope: { policyIds: ['pol_a'] } }], content: { policyId: 'pol_a' } },
    );
  });
  test('the request and its moment', async () => {
    await holds({ purpose: 'p', permission: 'preview_only' }, { purpose: 'p', permission: 'preview_only' });
    const context = { ip: '203.0.113.7', country: 'NO', userAgent: 'Mozilla GPTBot/1.0' };
    await holds({ ip: '203.0.113.0/24', country: 'NO', userAgent: 'gptbot' }, { context });
    await holds({ time: { days: ['sat'] } }, { at: '2026-11-21T09:30:00+02:00' });
    await holds({ time: { days: ['sat'] } }, {});
    await not({ time: { days: ['sat'] } }, { at: '2026-11-22T09:30:00Z' });
  });
  test('a limit is never used up', async () => {
    const rules = [{ action: 'allow', rateLimit: { requests: 1, period: 'month', scope: 'global' } }];
    await passes(
      policy(
        Array.from({ length: 5 }, () => one({}, { allowed: true, rule: 0 })),
        { rules },
      ),
    );
  });
  test('permissions in any order, but all of them', async () => {
    await passes(policy([one(licensed, { allowed: true, permissions: ['training', 'full_access'] })]));
    const { status } = await printed(policy([one(licensed, { allowed: true, permissions: ['training'] })]));
    assert.equal(status, 1);
  });
});

describe('docs/policy-tests.md', () => {
  const page = readFileSync('docs/policy-tests.md', 'utf8');
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] as string);
  const [yaml = ''] = blocks('yaml');
  const [whole = '', failed = '', invalid = ''] = blocks('text');

  test('the example prints what the page says', async () => {
    put('research.yaml', yaml);
    assert.deepEqual(await run(['research.yaml']), { status: 0, stdout: whole, stderr: '' });
  });
  test('and so do the example that fails and the one that is not valid', async () => {
    const last = /  - action: deny\n    conditions: \{default: true\}\n    message: .*\n/;
    put('research.yaml', yaml.replace(last, '').replace('defaultAction: deny', 'defaultAction: allow'));
    const ran = await run(['research.yaml']);
    assert.equal(ran.status, 1);
    assert.ok(ran.stdout.includes(failed), ran.stdout);
    put(
      'research.yaml',
      yaml.replace('action: allow', 'action: alow').replace('purpose: training\n', 'purpos: training\n'),
    );
    assert.equal((await run(['research.yaml'])).stderr, `${invalid}\n`);
  });
});
