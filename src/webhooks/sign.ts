/**
 * Signatures of Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md):
 * HMAC-SHA256 over `id.timestamp.body`, under the bytes that the secret's base64 stands for.
 */
import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';
export const SECRET_BYTES = 32;

/** `v1,…`: one signature for each secret, separated by spaces. `at` in epoch milliseconds. */
export function sign(secrets: readonly string[], id: string, at: number, body: string): string {
  const signed = `${id}.${timestampOf(at)}.${body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
}

/** Whole seconds, as the header `webhook-timestamp` has them. */
export const timestampOf = (at: number): number => Math.floor(at / 1000);
