/** The commands of the page work as they stand. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestService } from '../../kit/service.ts';
import { made } from '../http/given.ts';
import { publishedLicense } from './given.ts';

const page = readFileSync('docs/license-server.md', 'utf8');
const commands = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text);
const run = promisify(execFile);

test('the page of the license server, from the switch to the state of a token', async () => {
  const POSTERN_PUBLIC_URL = /POSTERN_PUBLIC_URL=(\S+)/.exec(commands[0] ?? '')?.[1] ?? '';
  await using postern = await startTestService({ env: { POSTERN_PUBLIC_URL } });
  const { id: policyId } = await made(postern, '/v1/policies', {
    name: 'p',
    rules: [{ action: 'allow', conditions: {} }],
  });
  await made(postern, '/v1/collections', { name: 'c', hosts: ['www.example.com'], policyId });
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
  const cwd = mkdtempSync(join(tmpdir(), 'postern-page-'));
  const env = { ...process.env, POSTERN_URL: postern.url, POSTERN_KEY: postern.key, ACME_TOKEN: token };
  const answerOf = async (command = '', more: object = {}) =>
    JSON.parse((await run('bash', ['-c', command], { cwd, env: { ...env, ...more } })).stdout);

  assert.equal((await answerOf(commands[1])).signals.licenseServer, true);
  writeFileSync(join(cwd, 'license-element.xml'), await publishedLicense(postern, 'https://www.example.com/*'));
  const { access_token: LICENSE_TOKEN, token_type: type } = await answerOf(commands[2]);
  assert.equal(type, 'License');
  assert.equal((await answerOf(commands[3], { LICENSE_TOKEN })).active, true);
  const asked = /^```json\n(.*)\n/m.exec(page)?.[1] ?? '';
  const body = JSON.parse(asked.replace(/eyJ[^"]*/, LICENSE_TOKEN));
  assert.equal((await postern.call('POST', '/v1/access/check', { body })).body.verified, 'license');
  rmSync(cwd, { recursive: true });
});
