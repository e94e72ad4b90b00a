/**
 * Verifies webhooks signed by Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks). Promise: a
 * verified event was sent recently by a holder of the secret and was not changed.
 */
import type { PosternEvent } from './types.ts';

export interface VerifyOptions {
  /** The largest difference between the time of sending and now; 300 by default. */
  toleranceSeconds?: number;
  /** The current time, epoch ms. */
  now?: number;
}

/** A webhook that failed verification. Log `reason`; do not return it to the sender. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: 'missing_header' | 'bad_timestamp' | 'too_old' | 'too_new' | 'no_matching_signature' | 'bad_body';
  constructor(reason: WebhookError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * Returns the event of a webhook. `body` is the request's body byte for byte, not parsed and serialized again. One
 * of several secrets is enough, as during a rotation. Throws WebhookError, and TypeError for an invalid secret.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<PosternEvent> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('bad_timestamp', 'webhook-timestamp is not a number of seconds.');
  const aheadSeconds = Number(timestamp) - now / 1000;
  if (aheadSeconds < -toleranceSeconds) throw new WebhookError('too_old', 'The webhook was sent too long ago.');
  if (aheadSeconds > toleranceSeconds) throw new WebhookError('too_new', 'The webhook was sent in the future.');

  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), bytes);
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => fromBase64(one.slice(3)))
    .filter((one) => one !== undefined);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const one of secrets) {
    const key = await keyOf(one);
    // The runtime compares in constant time.
    for (const signature of given) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventIn(bytes);
    }
  }
  throw new WebhookError('no_matching_signature', 'No signature matches the secret.');
}

function header(headers: HeadersLike, name: string): string {
  // Not by instanceof: a runtime may have several Headers classes.
  const value =
    typeof headers.get === 'function'
      ? (headers as Headers).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookError('missing_header', `The header ${name} is missing or repeated.`);
  return value;
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(SECRET.exec(secret)?.[1] ?? '');
  if (bytes === undefined || bytes.length < 16)
    throw new TypeError('A webhook secret starts with whsec_, followed by base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function eventIn(bytes: Uint8Array): PosternEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as PosternEvent;
  } catch {
    throw new WebhookError('bad_body', 'The body is not JSON.');
  }
}
