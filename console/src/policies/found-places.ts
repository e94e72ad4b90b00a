/** Finds the policies that decide for a visitor or a page now: recorded requests are explained again, as dry runs. */
import { type Answer, type Body, call, PosternError } from '../api/client.ts';
import { type Drafted, draftRules, type Outcome, type Subject, type Traced } from './drafted-rules.ts';
import type { Policy } from './rules.ts';

type Decision = Answer<'GET /v1/access/decisions/{id}'>;
type Check = Body<'POST /v1/access/check'>;

/** A policy, how it decides for the subject, and how many of the latest requests it decided. */
export interface Place {
  policy: Policy;
  traced: Traced[];
  reason: string | null;
  requests: number;
}

const LATEST = 100;
/** Policies that are explained. */
const POLICIES_MAX = 8;

interface Found {
  /** With what is known of its proofs. */
  subject: Subject;
  /** The policy with the most requests first. */
  places: Place[];
}

/** Returns the policies that decide for the subject now. */
export async function findPlaces(given: Subject, signal: AbortSignal): Promise<Found> {
  const subject = 'requesterId' in given ? { ...given, provable: await hasProof(given.requesterId, signal) } : given;
  const asker = await askerOf(subject, signal);
  const places = new Map<string, Place>();
  for (const { at, requests } of await findRequested(subject, signal)) {
    const body = { ...at, ...asker, explain: true, dryRun: true };
    const { policyId, reason, explanation } = await call('POST /v1/access/check', { body, signal });
    const known = places.get(policyId);
    if (known !== undefined) known.requests += requests;
    else if (explanation != null) {
      const policy = await call('GET /v1/policies/{id}', { path: { id: policyId }, signal });
      places.set(policyId, { policy, traced: (explanation as { rules: Traced[] }).rules, reason, requests });
    }
  }
  return { subject, places: [...places.values()].toSorted((a, b) => b.requests - a.requests) };
}

/** A rule can ask for a proof where the partner has a way to give one. A stranger has none. */
async function hasProof(id: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await call('GET /v1/requesters/{id}', { path: { id }, signal })).identities.length > 0;
  } catch (error) {
    if (error instanceof PosternError && error.status === 404) return false;
    throw error;
  }
}

export const draftAt = ({ policy, ...place }: Place, subject: Subject, outcome: Outcome): Drafted | string =>
  draftRules({ policy, ...place }, subject, outcome);

/** Lists the subject's latest targets, one for each policy; those of others, where it has none. */
async function findRequested(
  subject: Subject,
  signal: AbortSignal,
): Promise<{ at: Partial<Check>; requests: number }[]> {
  if ('page' in subject) return [{ at: { url: `https://${subject.page.host}${subject.page.path}` }, requests: 0 }];
  const list = async (filter: object) =>
    (await call('GET /v1/access/decisions', { query: { limit: LATEST, ...filter }, signal })).data;
  const own =
    'crawler' in subject
      ? { crawler: subject.crawler }
      : 'requesterId' in subject
        ? { requesterId: subject.requesterId }
        : undefined;
  const ofIts = own === undefined ? [] : await list(own);
  const latest = ofIts.length > 0 ? ofIts : await list({});
  const byPolicy = Map.groupBy(latest, ({ policyId }) => policyId);
  return [...byPolicy.values()].slice(0, POLICIES_MAX).map((decisions) => ({
    at: toTarget(decisions[0] as Decision),
    requests: ofIts.length > 0 ? decisions.length : 0,
  }));
}

/** The log keeps URLs without their scheme. */
const toTarget = ({ contentId, url }: Decision): Partial<Check> =>
  contentId === null ? { url: `https://${url ?? ''}` } : { contentId };

/** The fields of a check by the subject, proven as far as it can be. */
async function askerOf(subject: Subject, signal: AbortSignal): Promise<Partial<Check>> {
  if ('program' in subject) return { context: { userAgent: subject.program } };
  if ('requesterId' in subject) {
    const { requesterId, provable = false } = subject;
    return { requesterId, ...(provable ? { context: { verified: 'token' } } : {}) };
  }
  if ('page' in subject) return {};
  const { data } = await call('GET /v1/crawlers', { query: { q: subject.crawler, limit: 100 }, signal });
  const token = data.find(({ name }) => name === subject.crawler)?.userAgents[0] ?? subject.crawler;
  return { context: { userAgent: token, crawlerVerified: true } };
}
