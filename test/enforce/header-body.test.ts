/** The body of a denial in a header, for proxies that drop bodies: the same as in the body, and never too long. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, makePolicy } from '../http/given.ts';
import { authorize, decisions, ORIGIN, serve } from './asking.ts';

const MESSAGE = 'Nein,\r\n"nicht" <b>für</b> 100 % € \u{1f600}';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const ask = (target: string, options: string) =>
  authorize(postern, target, { path: `/v1/authorize?origin=${ORIGIN}&${options}` });
const served = async (path: string, rules: object[]) => serve(postern, path, (await makePolicy(postern, rules)).id);
await served('/closed', [{ action: 'deny', conditions: {}, message: MESSAGE }]);
await served('/open', [{ action: 'allow', conditions: {} }]);
await served('/once', [{ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day' } }]);

/** Reads the body in a header: JSON as it is, a page with its references resolved. */
const read = (text: string): string =>
  text.startsWith('{')
    ? JSON.stringify({ ...JSON.parse(text), decisionId: '' })
    : text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll(/dec_\w+/g, '');

test('a header has what the body would have, of one decision', async () => {
  for (const [kind, type] of [
    ['problem', 'application/problem+json'],
    ['html', 'text/html; charset=utf-8'],
  ] as const) {
    for (const target of ['/closed', '/nothing', '/a/../b']) {
      const before = await decisions(postern);
      const answer = await ask(target, `body=${kind}&bodyIn=header`);
      assert.equal(await decisions(postern), before + (target === '/closed' ? 1 : 0));
      assert.deepEqual([answer.status, answer.text], [403, ''], target);
      const text = answer.headers.get('x-postern-body') ?? '';
      assert.match(text, /^[\x20-\x7e]+$/);
      assert.equal(answer.headers.get('x-postern-body-type'), type);
      assert.equal(answer.headers.get('x-postern-message-html'), null);
      const usual = await ask(target, `body=${kind}&bodyIn=body`);
      assert.equal(usual.headers.get('x-postern-body'), null);
      assert.equal(read(text), read(usual.text), target);
    }
  }
  const allowed = await ask('/open', 'body=html&bodyIn=header');
  assert.deepEqual([allowed.status, allowed.headers.get('x-postern-body')], [200, null]);
});

test('the body names the status that the proxy sends', async () => {
  await ask('/once', 'body=problem&bodyIn=header');
  const over = await ask('/once', 'body=problem&bodyIn=header');
  assert.deepEqual([over.status, over.headers.get('x-postern-status')], [403, '429']);
  assert.deepEqual(JSON.parse(over.headers.get('x-postern-body') ?? '').status, 429);
});

test('the longest message and the longest list of licenses leave the headers below 16 KiB', async () => {
  const message = 'ラ'.repeat(500);
  const licenseType = Array.from({ length: 900 }, (_, i) => `license_type_${i}`);
  await served('/long', [
    { action: 'allow', conditions: { licenseType } },
    { action: 'deny', conditions: {}, message },
  ]);
  for (const kind of ['problem', 'html']) {
    const answer = await ask('/long', `body=${kind}&bodyIn=header`);
    assert.ok(read(answer.headers.get('x-postern-body') ?? '').includes(message));
    const bytes = [...answer.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
    assert.ok(bytes < 16_000, `${bytes} bytes`);
  }
});

test('without a kind of body there is nothing to send', async () => {
  assertError(await ask('/closed', 'bodyIn=header'), 'invalid_request', 'bodyIn');
});
