/**
 * Checks against rules that are not stored. Promise: each is decided as a check would be if the item's policy had these
 * rules; nothing is stored and nothing is used up, so a rate limit shows as unused.
 */
import { toContentFacts } from '../content/content.ts';
import { contentNotFound } from '../content/edits.ts';
import { findContents } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Failure } from '../errors.ts';
import { type Decision, settle } from '../ledger/decision.ts';
import { peek } from '../limits/limit.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import type { PolicyVersion } from '../policies/policy.ts';
import { draftOf } from './check.ts';
import type { Explanation } from './explain.ts';
import { asFailure, asOfMoment, openArchive, requireThere } from './past.ts';
import type { CheckRequest } from './schema.ts';
import type { PolicyBody } from './simulate-schema.ts';
import type { KnownRequester, Snapshot } from './snapshot.ts';
import { ANONYMOUS, type Subject } from './subject.ts';

export interface SimulateDeps {
  db: Db;
  snapshot: Snapshot;
  now: () => number;
}

/** A decision of no policy that has an id. */
type Simulated = Omit<Decision, 'policyId' | 'policyVersion'> & { policyId: null; policyVersion: null };

/** A body's rules in the place of a stored version's. */
export const withRules = (
  stored: Pick<PolicyVersion, 'no' | 'id' | 'version'>,
  { rules, defaultAction = 'deny' }: PolicyBody,
): PolicyVersion => ({ ...stored, name: '', description: null, rules: rules, defaultAction });

/** In the order of the requests. Throws Unavailable. */
export async function simulate(
  deps: SimulateDeps,
  body: PolicyBody,
  requests: readonly (CheckRequest | Failure)[],
): Promise<(Simulated | { error: ReturnType<Failure['toError']> })[]> {
  const policy = compile(withRules({ no: 0, id: '', version: 0 }, body));
  const subjects = await load(deps, policy, requests);
  const now = deps.now();
  return requests.map((request) => {
    const subject = request instanceof Failure ? request : subjects.get(request);
    if (subject === undefined || subject instanceof Failure || request instanceof Failure) {
      return { error: (subject as Failure).toError() };
    }
    return decideDraft(subject, request, now);
  });
}

async function load(
  { db, snapshot }: SimulateDeps,
  policy: CompiledPolicy,
  requests: readonly (CheckRequest | Failure)[],
): Promise<Map<CheckRequest, Subject | Failure>> {
  const asked = requests.filter((request): request is CheckRequest => !(request instanceof Failure));
  const refs = asked.map((request) => request.contentId);
  const contents = await findContents(db, refs);
  const archive = openArchive(db);
  const requesterOf = async ({ requesterId }: CheckRequest, at: number | undefined): Promise<KnownRequester> => {
    if (requesterId === undefined) return ANONYMOUS;
    if (at !== undefined) return archive.requester(requesterId, at);
    return snapshot.requester(requesterId) ?? (await snapshot.loadRequester(requesterId));
  };
  const subjects = new Map<CheckRequest, Subject | Failure>();
  for (const request of asked) {
    const subject = await asFailure(async () => {
      const content = contents.get(request.contentId);
      if (content === undefined) throw contentNotFound(request.contentId);
      const at = asOfMoment(request);
      if (at !== undefined) requireThere(content, at);
      return { content: toContentFacts(content), policy, requester: await requesterOf(request, at) };
    });
    subjects.set(request, subject);
  }
  return subjects;
}

function decideDraft(subject: Subject, request: CheckRequest, now: number): Simulated {
  const asOf = asOfMoment(request);
  const at = asOf ?? now;
  const { draft } = draftOf(subject, request, at, false);
  const { limit } = draft;
  const granted = limit === null || asOf !== undefined ? null : peek([], limit, at);
  const decision = settle(draft, { id: null, at, granted });
  if (decision.explanation !== undefined) {
    decision.explanation = { ...(decision.explanation as Explanation), policyId: null, policyVersion: null };
  }
  return { ...decision, policyId: null, policyVersion: null };
}
