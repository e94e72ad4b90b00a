/**
 * The request of the WordPress plugin to Postern. Promise: an answer is reused as long as it says, a service that does
 * not answer is left alone for a while, and both hold across the processes of PHP, with the extension curl or without.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startReceiver } from '../../../kit/receiver.ts';
import { until } from '../../../kit/until.ts';
import { folderOf } from '../../../kit/web-server.ts';

const DECISION = { id: 'dec_1', reason: null, permissions: ['read'], message: 'Allowed.' };

/** Asks the service of this port as often, each time in a process of its own, as php-fpm does. */
async function ask(port: number, times: number, options: { folder: string; body?: object; without?: string }) {
  const found: string[] = [];
  const script = `require '${resolve('adapters/wordpress/core/load.php')}';
    $settings = array( 'url' => 'http://127.0.0.1:${port}', 'key' => 'svc_sk_a', 'timeout_ms' => 20000 );
    try { echo json_encode( ( new Postern\\Service( $settings, '${options.folder}' ) )->ask( json_decode( $argv[1], true ) ) ); }
    catch ( Postern\\Unanswered $error ) { echo $error->is_refusal ? 'refused' : 'unanswered'; }`;
  for (let i = 0; i < times; i++) {
    const body = JSON.stringify(options.body ?? { url: 'https://www.example.com/' });
    const args = ['-d', `disable_functions=${options.without ?? ''}`, '-r', script, body];
    found.push((await promisify(execFile)('php', args)).stdout);
  }
  return found;
}

for (const without of ['', 'curl_init']) {
  describe(`a service ${without === '' ? 'by curl' : 'by streams'}`, () => {
    test('an answer is reused for the same question alone, as long as it says', async () => {
      await using service = await startReceiver();
      const folder = folderOf({});
      const port = Number(new URL(service.url).port);
      const answer = { ...DECISION, allowed: true, maxAge: 60 };
      service.answer = (_, response) => void response.end(JSON.stringify(answer));
      const given = await ask(port, 3, { folder, without });
      assert.deepEqual(
        given.map((one) => JSON.parse(one)),
        [answer, answer, answer],
      );
      assert.equal(service.received.length, 1);
      assert.equal(service.received[0]?.headers.authorization, 'Bearer svc_sk_a');
      await ask(port, 2, { folder, without, body: { url: 'https://www.example.com/', context: { userAgent: 'a' } } });
      assert.equal(service.received.length, 2);
      service.answer = (_, response) => void response.end(JSON.stringify({ ...DECISION, allowed: true }));
      await ask(port, 2, { folder, without, body: { url: 'https://www.example.com/other' } });
      assert.equal(service.received.length, 4, 'not without maxAge');
    });

    test('eight ask at once, and a refusal for want of room is no failure', async () => {
      await using service = await startReceiver();
      const folder = folderOf({});
      const port = Number(new URL(service.url).port);
      const held: (() => void)[] = [];
      const answer = JSON.stringify({ ...DECISION, allowed: true });
      service.answer = (_, response) => void held.push(() => void response.end(answer));
      const first = Array.from({ length: 8 }, () => ask(port, 1, { folder, without }));
      await until('eight ask', () => held.length === 8);
      assert.deepEqual(await ask(port, 4, { folder, without }), Array(4).fill('unanswered'));
      assert.equal(service.received.length, 8);
      for (const release of held) release();
      assert.deepEqual(new Set((await Promise.all(first)).flat()), new Set([answer]));
      service.answer = (_, response) => void response.end(answer);
      assert.deepEqual(await ask(port, 1, { folder, without }), [answer]);
    });

    test('something else that answers at the address is no refusal', async () => {
      await using service = await startReceiver();
      const port = Number(new URL(service.url).port);
      for (const [status, text] of [
        [404, '<html>'],
        [404, ''],
        [400, '{"error": "Bad Request"}'],
        [404, '{"error": {"message": "no"}}'],
      ] as const) {
        service.status(status, {}, text);
        assert.deepEqual(await ask(port, 1, { folder: folderOf({}), without }), ['unanswered'], text);
      }
    });

    test('after three failures in a row nothing is asked for a while; a refusal is no failure', async () => {
      await using service = await startReceiver();
      const folder = folderOf({});
      const port = Number(new URL(service.url).port);
      const answers: [string, number, string][] = [
        ['refused', 401, '{"error": {"code": "invalid_api_key", "message": "x"}}'],
        ['unanswered', 200, '<html>'],
        ['unanswered', 302, ''],
        ['refused', 403, '<html>'],
        ['refused', 404, '{"error": {"code": "route_not_found", "message": "x"}}'],
        ['unanswered', 429, '{}'],
        ['unanswered', 200, '{"allowed": "yes"}'],
        ['unanswered', 503, '{"error": {"code": "service_unavailable", "message": "x"}}'],
      ];
      for (const [expected, status, text] of answers) {
        service.status(status, { location: service.url }, text);
        assert.deepEqual(await ask(port, 1, { folder, without }), [expected], text);
      }
      assert.equal(service.received.length, answers.length);
      service.status(200, {}, JSON.stringify({ ...DECISION, allowed: true }));
      assert.deepEqual(await ask(port, 2, { folder, without }), ['unanswered', 'unanswered']);
      assert.equal(service.received.length, answers.length, 'not asked');
      await until('it asks again', async () => (await ask(port, 1, { folder, without }))[0]?.startsWith('{'));
    });
  });
}
