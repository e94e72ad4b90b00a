/**
 * Secrets are shown once. Fails a test when a key, a webhook secret or a sign-in link is in a second answer of the
 * service, or in its log.
 */
import assert from 'node:assert/strict';

const SECRET = /\bsvc_(?:[sp]k|rt)_\w{20,}|\bwhsec_[\w+/=]{20,}|#link=[\w-]{43}/g;
/** Routes whose answers show a secret, once. */
const SHOWS =
  /^POST \/v1\/(users\/links|(api-keys|webhooks|requesters\/[^/?]+\/tokens)(\/[^/?]+\/(rotate|rotate-secret))?)(\?|$)/;

export interface SecretsWatch {
  /** Throws when the answer has a secret that it should not. */
  answered(route: string, text: string): void;
  /** Throws when a line of the log has a secret. */
  logged(lines: readonly string[]): void;
}

export function watchSecrets(firstKey: string): SecretsWatch {
  const given = new Set([firstKey]);
  const leakIn = (text: string): string | undefined => text.match(SECRET)?.find((secret) => given.has(secret));
  return {
    answered(route, text) {
      if (SHOWS.test(route)) for (const [secret] of text.matchAll(SECRET)) given.add(secret);
      else assert.equal(leakIn(text), undefined, `a secret in the answer to ${route}: ${text.slice(0, 500)}`);
    },
    logged(lines) {
      for (const line of lines) assert.equal(leakIn(line), undefined, `a secret in the log: ${line.slice(0, 500)}`);
    },
  };
}
