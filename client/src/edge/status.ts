/**
 * Says to an operator how an adapter is set up, and whether it reaches Postern: GET /.well-known/postern. Promise: only
 * a caller with a proof of this adapter's key, for this host and made some minutes ago at most, learns anything. All
 * others are visitors like any, as if this were not here.
 */
import { PosternError } from '../errors.ts';
import { askOne, openPost } from './asker.ts';
import type { EdgeOptions } from './edge.ts';
import { urlOf } from './question.ts';

/** The version of this package. */
const VERSION = '0.1.0';
const PATH = '/.well-known/postern';
const PROOF_SECONDS = 300;
/** A proof has a code for each key that an operator may have given to the adapter. */
const CODES_MAX = 16;
const REASON_MAX = 300;

/** Returns what answers a visit with the status; undefined where the site answers. */
export function openStatus(options: EdgeOptions): NonNullable<EdgeOptions['file']> {
  const { platform = 'edge', mode = 'enforce', ask, onError, unknown = 'deny', timeoutMs = 500 } = options;
  return async (visit) => {
    if (visit.method !== 'GET' || visit.path !== PATH) return undefined;
    const { host } = new URL(urlOf(options, visit));
    if (!(await isProven(options.key, host, visit.query.get('proof') ?? ''))) return undefined;
    const asked = typeof ask === 'string' ? ask : 'function';
    const settings = { adapter: platform, version: VERSION, mode, ask: asked, onError, unknown, timeoutMs };
    const body = JSON.stringify({ ...settings, failure: await findFailure({ ...options, timeoutMs }) });
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return new Response(body, { headers });
  };
}

/** Asks nothing in particular: a service that takes the key refuses only the question. */
async function findFailure(options: EdgeOptions & { timeoutMs: number }): Promise<string | null> {
  try {
    const asked = await askOne(openPost(options), {}, options.timeoutMs);
    if (!('error' in asked)) throw new PosternError(200, {});
    return null;
  } catch (error) {
    let text = '';
    for (let cause = error; cause instanceof Error; cause = cause.cause) text += `${cause.message} `;
    return text.trim().slice(0, REASON_MAX);
  }
}

/** Tests a proof: its time in seconds and codes in hexadecimal, with dots between. */
async function isProven(key: string, host: string, proof: string): Promise<boolean> {
  const [seconds = '', ...codes] = proof.split('.', CODES_MAX + 1);
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) < PROOF_SECONDS)) return false;
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  const { subtle } = crypto;
  // The service keeps only this hash of a key.
  const secret = await subtle.digest('SHA-256', bytes(key));
  const own = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const said = bytes(`postern-status ${host} ${seconds}`);
  for (const code of codes) {
    const read = Uint8Array.from(code.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    if (await subtle.verify('HMAC', own, read, said)) return true;
  }
  return false;
}
