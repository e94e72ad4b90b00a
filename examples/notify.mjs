/**
 * Receives webhooks of Postern and posts them to Slack and by mail. Answers 2xx only once both have them; otherwise
 * Postern sends the event again, and only what failed is repeated. See docs/attention.md.
 */
import { createServer } from 'node:http';
import { verifyWebhook, WebhookError } from '@postern/client';

const { WEBHOOK_SECRET, SLACK_URL, MAIL_URL, MAIL_KEY, MAIL_FROM, MAIL_TO, PORT = '8090' } = process.env;
if (!WEBHOOK_SECRET || !(SLACK_URL || MAIL_URL)) throw new Error('Set WEBHOOK_SECRET, and SLACK_URL or MAIL_URL.');

const BODY_BYTES_MAX = 1024 * 1024;
const WITHIN_MS = 5_000;

const UNNAMED = { browsers: 'Browsers', no_user_agent: 'Visitors without a user agent' };
const SENTENCES = {
  'license.requested': ({ requesterId, licenseType }) => `${requesterId} asks for a license ${licenseType}.`,
  'license.expiring': ({ requesterId, type, expiresInDays: days }) =>
    `The license ${type} of ${requesterId} ends in ${days === 1 ? 'a day' : `${days} days`}.`,
  'license.expired': ({ requesterId, type }) => `The license ${type} of ${requesterId} has ended.`,
  'license.threshold_reached': ({ requesterId, threshold, quota }) =>
    `${requesterId} has used ${Math.round(threshold * 100)} % of its quota of ${quota.units} units.`,
  'license.quota_exceeded': ({ requesterId, quota }) => `${requesterId} has used up its quota of ${quota.units} units.`,
  'crawler.first_seen': ({ crawler }) => `The crawler ${crawler} came for the first time.`,
  'requester.spoofed': ({ claimed, checks }) =>
    `The name ${claimed} was falsely claimed${checks === 1 ? '' : ` ${checks} times`}.`,
  'denials.jumped': ({ requesterId, who, denied, usual }) =>
    `${requesterId ?? who?.name ?? UNNAMED[who?.kind] ?? 'Anonymous requesters'}: denied ${denied} times within a day, before that ${usual} times a day.`,
  'identity.list_suspicious': ({ url }) => `The list ${url} shrank by more than half and is held back.`,
};

/** @param {{ type: string, data: { object: any } }} event */
const sentenceOf = ({ type, data }) => SENTENCES[type]?.(data.object) ?? `${type}: ${data.object.id}`;

async function post(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
}

/** In Slack, these three characters begin markup and mentions. */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const targets = {
  ...(SLACK_URL ? { slack: (text) => post(SLACK_URL, { text: escaped(text) }) } : {}),
  ...(MAIL_URL
    ? {
        mail: (text, id) =>
          post(
            MAIL_URL,
            { from: MAIL_FROM, to: [MAIL_TO], subject: `Postern: ${text}`, text: `${text}\n\n${id}\n` },
            { authorization: `Bearer ${MAIL_KEY}`, 'idempotency-key': id },
          ),
      }
    : {}),
};

/** Event and target of each delivery. Bounded; after a restart an event may be posted twice. */
const done = new Set();
const DONE_MAX = 10_000;

async function notify(event) {
  const text = sentenceOf(event);
  const failures = [];
  for (const [name, send] of Object.entries(targets)) {
    const mark = `${event.id} ${name}`;
    if (done.has(mark)) continue;
    try {
      await send(text, event.id);
      if (done.size >= DONE_MAX) done.delete(done.values().next().value);
      done.add(mark);
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
  }
  if (failures.length > 0) throw new Error(failures.join('; '));
}

async function read(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new WebhookError('bad_body', 'The body is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  let status = 204;
  try {
    await notify(await verifyWebhook(await read(request), request.headers, WEBHOOK_SECRET));
  } catch (error) {
    status = error instanceof WebhookError ? 400 : 502;
    console.error(error.message);
  }
  response.writeHead(status).end();
});
server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`));
