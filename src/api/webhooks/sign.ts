/**
 * Signatures of Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md):
 * HMAC-SHA256 over `id.timestamp.body`, keyed with the secret's base64-decoded bytes.
 */
import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';
export const SECRET_BYTES = 32;

/** Returns one `v1,…` signature for each secret, separated by spaces. `at` is epoch ms. */
export function sign(secrets: readonly string[], id: string, at: number, body: string): string {
  const signed = `${id}.${toTimestamp(at)}.${body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
}

/** Converts epoch ms to the whole seconds of `webhook-timestamp`. */
export const toTimestamp = (at: number): number => Math.floor(at / 1000);
