/** Asks the service itself what every visitor that a statement is about may have. */
import assert from 'node:assert/strict';
import type { TestService } from '../../kit/service.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';
import { ask, HOST, ids, rulesOf } from './given.ts';

/** The circumstances that no crawler knows in advance. */
const CONTEXTS = [undefined, 'DE', 'US', 'FR'].flatMap((country) =>
  [undefined, '10.1.0.1', '10.2.0.1', '192.0.2.7', '198.51.100.1'].map((ip) => ({
    ...(country === undefined ? {} : { country }),
    ...(ip === undefined ? {} : { ip }),
  })),
);

const PURPOSE_OF = new Map(CRAWLERS.flatMap(({ userAgents, purpose }) => userAgents.map((token) => [token, purpose])));
const OWN = ['training', 'search', 'user_fetch'];

/** Returns whether a policy has a condition whose key begins so; one that no world made may have any. */
const isReadBy =
  (policyId: string | undefined) =>
  (key: string): boolean =>
    rulesOf.get(policyId ?? '')?.includes(`"${key}`) ?? true;

export interface Question {
  url: string;
  token: string;
  /** null: the purposes of a crawler's own requests. */
  purpose: string | null;
}

interface Answered {
  allowed?: boolean;
  rateLimit?: unknown;
  policyId?: string;
  error?: { code: string };
}

async function askAll(postern: TestService, checks: readonly object[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (let i = 0; i < checks.length; i += 1000) {
    const { data } = await ask(postern, 'POST', '/v1/access/check/batch', { checks: checks.slice(i, i + 1000) });
    answers.push(...data);
  }
  return answers;
}

/** Returns whether a URL is a file that proxies give to everybody, under any policy. */
async function isFree(postern: TestService, url: string): Promise<boolean> {
  const headers = { 'x-original-uri': url, 'x-postern-key': postern.key };
  const answer = await postern.call('GET', `/v1/authorize?origin=https://${HOST}`, { key: null, headers });
  return answer.headers.get('x-postern-free') === 'true';
}

/** Returns those of the URLs that are free. */
export async function findFree(postern: TestService, urls: readonly string[]): Promise<ReadonlySet<string>> {
  const free = await Promise.all(urls.map((url) => isFree(postern, url)));
  return new Set(urls.filter((_, i) => free[i]));
}

/** Returns the checks of all visitors that a question is about, as far as the policy there distinguishes them. */
function checksFor({ url, token, purpose }: Question, isRead: (key: string) => boolean, more: object): object[] {
  const contexts = CONTEXTS.filter(
    ({ country, ip }: { country?: string; ip?: string }) =>
      (country === undefined || isRead('country')) && (ip === undefined || isRead('ip')),
  );
  const kinds = isRead('requesterVerified') ? [undefined, 'signature', 'token'] : [undefined];
  const own = PURPOSE_OF.get(token) ?? '';
  // Whole tokens name a crawler: Googlebot-Image is none of the requester Googlebot.
  const requesterId = ids.requesters.find((id) => token.toLowerCase() === id);
  const purposes = purpose === null ? [undefined, ...(OWN.includes(own) ? [own] : [])] : [purpose];
  const agents =
    token === '*'
      ? ['StrangeBot/2.0', 'Mozilla/5.0 (compatible; StrangeBot/2.0)']
      : [token, `Mozilla/5.0 (compatible; ${token}/2.1)`];
  return agents.flatMap((userAgent) =>
    purposes.flatMap((one) =>
      contexts.flatMap((context) =>
        kinds.map((verified) => ({
          url: `https://${HOST}${url}`,
          dryRun: true,
          ...more,
          ...(requesterId === undefined ? {} : { requesterId }),
          ...(one === undefined ? {} : { purpose: one }),
          context: { ...context, userAgent, ...(verified === undefined ? {} : { verified }) },
        })),
      ),
    ),
  );
}

/**
 * Returns whether every visitor that sends the token is allowed, by dry runs; undefined where no policy decides. Limits
 * are taken to be used up.
 */
export async function askDoor(
  postern: TestService,
  questions: readonly Question[],
  more: object = {},
): Promise<(boolean | undefined)[]> {
  const first = await askAll(
    postern,
    questions.map(({ url, token }) => ({
      url: `https://${HOST}${url}`,
      dryRun: true,
      ...more,
      context: { userAgent: token },
    })),
  );
  const checks = questions.map((question, i) =>
    first[i]?.error === undefined ? checksFor(question, isReadBy(first[i]?.policyId), more) : [],
  );
  // Of what nothing decides about, files say nothing; what cannot be decided is refused.
  const refused = first.map(({ error }) => error !== undefined && error.code !== 'content_not_found');
  const answers = (await askAll(postern, checks.flat())).values();
  return checks.map((own, i) => {
    if (refused[i] === true) return false;
    const mine = own.map(() => answers.next().value as Answered);
    assert.ok(
      mine.every(({ error }) => error === undefined),
      JSON.stringify(mine),
    );
    return own.length === 0
      ? undefined
      : mine.every(({ allowed, rateLimit }) => allowed === true && rateLimit === null);
  });
}
