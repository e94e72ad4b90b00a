/**
 * The documentation is true: the blocks of each page are pasted into a shell, in order, and their replies compared;
 * the README's commands run; what is generated is up to date. In a reply `…` stands for any text, a key or last entry
 * `"..."` for what is left out.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../kit/port.ts';
import { startReceiver } from '../kit/receiver.ts';
import { startTestService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { conditionsDoc } from '../scripts/conditions-doc.ts';
import { errorsDoc } from '../scripts/errors-doc.ts';
import { EVENT_KINDS } from '../src/api/changes/kinds.ts';
import { ERRORS } from '../src/api/errors.ts';
import { PERMISSIONS } from '../src/api/permissions.ts';
import { sign } from '../src/api/webhooks/sign.ts';
import { SETTINGS } from '../src/service/config.ts';

const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')];
const read = (file: string): string => readFileSync(file, 'utf8');

interface Block {
  language: string;
  text: string;
}

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map((match) => ({ language: match[1] ?? '', text: match[2] ?? '' }));

function like(actual: unknown, shown: unknown, at: string): void {
  if (typeof shown === 'string' && typeof actual === 'string' && shown.includes('…')) {
    const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    assert.match(actual, new RegExp(`^${parts.join('[^]+')}$`), at);
  } else if (Array.isArray(shown)) {
    assert.ok(Array.isArray(actual), at);
    const open = shown.at(-1) === '...';
    const entries = open ? shown.slice(0, -1) : shown;
    if (!open) assert.equal(actual.length, entries.length, `${at}.length`);
    for (const [i, entry] of entries.entries()) like(actual[i], entry, `${at}[${i}]`);
  } else if (typeof shown === 'object' && shown !== null) {
    const { '...': open, ...entries } = shown as Record<string, unknown>;
    if (open === undefined) assert.deepEqual(Object.keys(actual as object), Object.keys(entries), at);
    for (const [key, entry] of Object.entries(entries)) {
      like((actual as Record<string, unknown>)[key], entry, `${at}.${key}`);
    }
  } else assert.equal(actual, shown, at);
}

/** A block of commands that `ask` the service. */
const ASKS = /^(?:\w+=\S+ )?ask [A-Z]+ ['"/]/m;

/** Pastes the blocks into one shell, with the functions of the quick start; a reply ends with its status. */
async function pastePage(file: string): Promise<void> {
  await using postern = await startTestService();
  const folder = mkdtempSync(join(tmpdir(), 'postern-pasted-'));
  try {
    writeFileSync(join(folder, '.curlrc'), 'write-out = "\\n%{http_code}"\n');
    const blocks = blocksOf(read(file));
    const asked = blocks.filter(({ language, text }) => language === 'sh' && ASKS.test(text));
    const [, functions = ''] = /^(ask\(\) [^]*?)ask GET/m.exec(read('docs/quick-start.md')) ?? [];
    const script = asked
      .map(({ text }) => text.replaceAll(/^export POSTERN_.*\n/gm, ''))
      .join("printf '\\nend of block\\n'\n");
    const env = { ...process.env, CURL_HOME: folder, POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
    const { stdout } = await promisify(execFile)('bash', ['-euc', functions + script], { env, cwd: folder });
    assertReplies(file, blocks, stdout.split('\nend of block\n'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function assertReplies(file: string, blocks: Block[], replies: string[]): void {
  let reply: { status: number; text: string } | undefined;
  for (const { language, text } of blocks) {
    if (language === 'sh' && ASKS.test(text)) {
      const [, said = '', status] = /^([^]*)\n(\d{3})\n?$/.exec(replies.shift() ?? '') ?? [];
      reply = { status: Number(status), text: said };
      assert.ok(reply.status < 500, `${file}: ${text} answered ${said}`);
    } else if (language === 'json' && reply !== undefined) {
      const shown = JSON.parse(text) as { error?: { code: keyof typeof ERRORS } };
      like(JSON.parse(reply.text), shown, `${file}: ${text.slice(0, 60)}`);
      if (shown.error === undefined) assert.ok(reply.status < 300, `${file}: ${reply.text}`);
      else assert.equal(reply.status, ERRORS[shown.error.code].status, file);
    } else if (language === 'csv') assert.equal(reply?.text.split('\r\n')[0], text.split('\n')[0], file);
  }
}

suite('the blocks of the pages, pasted into a shell, are answered as they say', { concurrency: 4 }, () => {
  for (const file of globSync('docs/*.md').filter((page) => ASKS.test(read(page)))) {
    test(file, () => pastePage(file));
  }
});

test("the README's first requests", async (t) => {
  await using postern = await startTestService();
  const folder = mkdtempSync(join(tmpdir(), 'postern-readme-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = blocksOf(read('README.md'))
    .filter(({ language, text }) => language === 'sh' && text.includes('npx postern'))
    .map(({ text }) => text.replaceAll('research.yaml', join(folder, 'research.yaml')))
    // npx finds the same file, slowly.
    .map((text) => text.replaceAll('npx postern', `"${process.execPath}" bin/postern.js`))
    .join('\n');
  const env = { ...process.env, POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
  const { stdout } = await promisify(execFile)('sh', ['-uc', script], { env });
  const shown = blocksOf(read('README.md')).find(({ language }) => language === 'text')?.text ?? '';
  for (const line of shown.split('\n').filter((one) => one.trim() !== '…')) {
    const [before = ''] = line.split('…');
    assert.ok(stdout.includes(before), `${line}\n${stdout}`);
  }
  assert.match(stdout, /^1 allowed \(50 %\), 1 denied \(50 %\)$/m);
});

test('the receiver of docs/webhooks.md takes what is genuine, once', async () => {
  const code = blocksOf(read('docs/webhooks.md')).find(({ language }) => language === 'js')?.text ?? '';
  await using recorder = await startReceiver();
  await using postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const { body: webhook } = await postern.call('POST', '/v1/webhooks', {
    body: { url: recorder.url, events: ['requester.*'] },
  });
  await postern.call('POST', '/v1/requesters', { body: { id: 'acme', name: 'Acme' } });
  const { headers, body } = await until('the delivery', () => recorder.received[0]);
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));

  const port = await freePort();
  const receiver = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: webhook.secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines: string[] = [];
    receiver.stdout.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n')));
    const post = async (changed: Record<string, string> = {}, text = body) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: { ...sent, ...changed }, body: text }))
        .status;
    await until('the receiver listens', () => post().catch(() => undefined));
    assert.equal(await post(), 204, 'again');
    assert.equal(await post({}, body.replace('Acme', 'Evil')), 401, 'another body');
    assert.equal(await post({ 'webhook-id': 'evt_other' }), 401, 'another id');
    assert.equal(await post({ 'webhook-signature': 'v1,x' }), 401, 'no signature');
    const old = Date.now() - 10 * 60_000;
    const seconds = String(Math.floor(old / 1000));
    const signature = sign([webhook.secret], sent['webhook-id'] ?? '', old, body);
    assert.equal(await post({ 'webhook-timestamp': seconds, 'webhook-signature': signature }), 401, 'an old recording');
    assert.deepEqual(lines, [`requester.created ${sent['webhook-id']}`]);
  } finally {
    receiver.kill();
  }
});

test('the generated pages are up to date', () => {
  assert.equal(read('docs/conditions.md'), conditionsDoc());
  assert.equal(read('docs/errors.md'), errorsDoc());
});

test('every setting, permission and kind of event has its row', () => {
  const configure = read('docs/configure.md');
  for (const [name, { default: preset }] of Object.entries(SETTINGS)) {
    assert.match(
      configure,
      new RegExp(`^\\| \`${name}\` \\| ${preset ? `\`${RegExp.escape(preset)}\`` : 'none'} \\|`, 'm'),
    );
  }
  for (const name of Object.keys(PERMISSIONS)) assert.ok(read('docs/keys.md').includes(`| \`${name}\` |`), name);
  assert.deepEqual(kindsIn(read('docs/events.md')).toSorted(), [...EVENT_KINDS].toSorted());
});

/** Returns the kinds in the first column of the table; `.updated` continues the kind before it. */
const kindsIn = (page: string): string[] =>
  [...page.matchAll(/^\| (`[a-z_]+\.[^|]+) \|/gm)].flatMap(([, cell = '']) => {
    let group = '';
    return [...cell.matchAll(/`([a-z_]*)(\.[a-z_]+)`/g)].map(([, own, rest]) => (group = own || group) + rest);
  });

const withoutCode = (page: string): string => page.replaceAll(/^```[^]*?^```$/gm, '');

/** Returns the anchors that GitHub gives the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('links between the pages lead somewhere, to the heading', () => {
  for (const file of pages) {
    const text = withoutCode(read(file));
    for (const [, path = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = path === '' ? file : join(dirname(file), path);
      assert.ok(existsSync(target), `${file}: ${path}`);
      if (anchor !== undefined) assert.ok(anchorsOf(read(target)).includes(anchor), `${file}: ${path}#${anchor}`);
    }
  }
});

test('the architecture names rooms and files that exist', () => {
  const built = read('.gitignore')
    .split('\n')
    .map((name) => name.replace(/\/$/, ''));
  for (const [, name = ''] of read('ARCHITECTURE.md').matchAll(/`((?:[a-z]+\/)+[a-z-]*(?:\.ts)?)`/g)) {
    if (built.includes(name.replace(/\/$/, ''))) continue;
    const places = ['', 'src/', 'client/src/'].flatMap((folder) => [folder + name, `${folder}${name}.ts`]);
    assert.ok(places.some(existsSync), name);
  }
});

test('the architecture names every room', () => {
  const rooms = globSync(['src/*/', 'src/*.ts'], { exclude: ['src/*.test.ts'] }).map((path) =>
    path.slice('src/'.length),
  );
  const text = read('ARCHITECTURE.md');
  assert.deepEqual(
    rooms.filter((room) => !text.includes(room.endsWith('.ts') ? `\`${room}\`` : `\`${room.replace(/\/?$/, '/')}\``)),
    [],
  );
});

test('every page can be found from the first one', () => {
  const seen = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file) || !file.endsWith('.md')) return;
    seen.add(file);
    for (const [, path = ''] of read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) follow(join(dirname(file), path));
  };
  follow('docs/README.md');
  assert.deepEqual(
    globSync('docs/**/*.md').filter((file) => !seen.has(file) && !file.startsWith('docs/decisions/')),
    [],
  );
});
