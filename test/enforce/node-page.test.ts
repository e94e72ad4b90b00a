/** The programs of docs/enforce/node.md and docs/client.md run, and guard what they serve. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../kit/port.ts';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { folderOf } from '../../kit/web-server.ts';
import { made, makePolicy } from '../http/given.ts';

const postern = await startTestService();
const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: { requesterId: 'nobody' } }]);
const { id: openId } = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
for (const [externalId, policy] of [
  ['open', openId],
  ['closed', policyId],
]) {
  await made(postern, '/v1/content', {
    externalId,
    title: 'x',
    type: 'article',
    source: 'https://a.example',
    policyId: policy,
  });
}
for (const [name, policy] of [
  ['open', openId],
  ['closed', policyId],
]) {
  const place = { hosts: ['www.example.com'], paths: [`/articles/${name}`] };
  await made(postern, '/v1/collections', { name, ...place, policyId: policy });
}

const folder = folderOf({ 'package.json': '{"type": "module"}' });
mkdirSync(join(folder, 'node_modules'));
for (const name of ['express', 'fastify', 'hono'])
  symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
  await postern[Symbol.asyncDispose]();
});

const programsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map((match) =>
    (match[1] ?? '').replace("'@postern/client'", `'${resolve('client/src/index.ts')}'`),
  );
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key, PATH: process.env.PATH };
const programs = programsOf('docs/enforce/node.md');

test('every program is tried', () => assert.equal(programs.length, 5));

for (const [i, program] of programs.entries()) {
  test(`program ${i + 1}`, async () => {
    const port = await freePort();
    const file = join(folder, `program-${i}.js`);
    writeFileSync(file, program);
    const exports = program.includes('export default');
    // Where a platform calls the program, it is called here.
    const serve = `import app from '${file}';
      import { createServer } from 'node:http';
      createServer(async (request, response) => {
        const answer = await app.fetch(new Request('http://site.example' + request.url));
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      }).listen(${port});`;
    const main = exports ? join(folder, `serve-${i}.js`) : file;
    if (exports) writeFileSync(main, serve);
    const child = spawn(process.execPath, [main], {
      cwd: folder,
      env: { ...env, PORT: String(port) },
      stdio: 'inherit',
    });
    children.push(child);
    const get = (id: string) => fetch(`http://127.0.0.1:${port}/articles/${id}`);
    await until('it listens', () => get('open').catch(() => undefined));
    const open = await get('open');
    assert.deepEqual([open.status, (await open.text()).slice(0, 11)], [200, 'The article']);
    assert.match(open.headers.get('x-postern-decision') ?? '', /^dec_/);
    for (const id of ['closed', 'nothing', '%2e%2e']) {
      const page = await get(id);
      assert.ok(page.status === 403 || page.status === 404, `${id} ${page.status}`);
      assert.doesNotMatch(await page.text(), /The article/);
    }
    child.kill();
  });
}

test("the client's page", async () => {
  const [program = ''] = programsOf('docs/client.md');
  const file = join(folder, 'client.js');
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  assert.equal(await new Promise((done) => child.once('close', done)), 0);
  assert.equal(out, 'University of Somewhere\n');
});
