/** The receiver in `examples/` posts what Postern sends to Slack and by mail, each once, and nothing else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { startReceiver } from '../../kit/receiver.ts';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { made } from '../http/given.ts';

/** The client as it is in this folder, without a build. */
const CLIENT = new URL('../../client/src/index.ts', import.meta.url).href;
const HOOK = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name === '@postern/client' ? '${CLIENT}' : name, context) });`;

test('an event is in Slack and in the mail, once each; a forged one is refused', async () => {
  await using postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await using slack = await startReceiver();
  await using mail = await startReceiver();
  mail.status(500);
  // The secret is known once there is a webhook, whose URL is known once the receiver listens.
  const { id, secret } = await made(postern, '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['license.*'] });
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(HOOK)}`, 'examples/notify.mjs'],
    {
      env: {
        ...process.env,
        WEBHOOK_SECRET: secret,
        SLACK_URL: slack.url,
        MAIL_URL: mail.url,
        MAIL_KEY: 'key',
        MAIL_FROM: 'postern@example.com',
        MAIL_TO: 'sales@example.com',
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    let port = '';
    for await (const line of createInterface({ input: child.stdout })) {
      port = /^listening on (\d+)$/.exec(line)?.[1] ?? '';
      break;
    }
    const url = `http://127.0.0.1:${port}/`;
    const forged = await fetch(url, { method: 'POST', body: '{"id":"evt_1","type":"license.requested"}' });
    assert.equal(forged.status, 400);
    await postern.call('PATCH', `/v1/webhooks/${id}`, { body: { url } });

    await made(postern, '/v1/requesters', { id: 'acme' });
    const { token: key } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
    await postern.call('POST', '/v1/me/requests', { key, body: { licenseType: '<!channel>' } });
    await until('the mail that fails', () => mail.received.length === 1, 30_000);
    mail.status(200);
    await until('the mail, again', () => mail.received.length === 2, 60_000);
    assert.deepEqual(
      slack.received.map(({ event }) => event.text),
      ['acme asks for a license &lt;!channel&gt;.'],
      'once, though it was delivered twice',
    );
    const [, { event, headers } = { event: {}, headers: {} }] = mail.received;
    assert.deepEqual(
      [event.to, event.subject, (headers as Record<string, string>).authorization],
      [['sales@example.com'], 'Postern: acme asks for a license <!channel>.', 'Bearer key'],
    );

    const deliver = async (type: string, object: object): Promise<string> => {
      const webhookId = `evt_${type}`;
      const text = JSON.stringify({ id: webhookId, object: 'event', type, data: { object } });
      const time = String(Math.floor(Date.now() / 1000));
      const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
        .update(`${webhookId}.${time}.${text}`)
        .digest('base64');
      const signed = { 'webhook-id': webhookId, 'webhook-timestamp': time, 'webhook-signature': `v1,${mac}` };
      assert.equal((await fetch(url, { method: 'POST', body: text, headers: signed })).status, 204);
      return slack.received.at(-1)?.event.text as string;
    };
    assert.equal(
      await deliver('license.expiring', { requesterId: 'acme', type: 'commercial', expiresInDays: 7 }),
      'The license commercial of acme ends in 7 days.',
    );
    assert.equal(
      await deliver('denials.jumped', { requesterId: null, who: { name: 'foofetch' }, denied: 30, usual: 2 }),
      'foofetch: denied 30 times within a day, before that 2 times a day.',
    );
    const spoofed = await deliver('requester.spoofed', { claimed: 'acme', checks: 1 });
    assert.equal(spoofed, 'The name acme was falsely claimed.');
  } finally {
    child.kill();
  }
});
