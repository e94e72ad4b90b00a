/** Reads the candidate of a policy, with counts of its decisions so far. */

import type { App } from '../../api/http/app.ts';
import { route } from '../../api/http/route.ts';
import { findContents } from '../../content/store.ts';
import type { Db } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import type { Divergences } from '../../decisions/history/columns/divergences.ts';
import { getPolicy, required } from '../../policies/candidate-routes.ts';
import { candidateAnswer, candidateEtag } from '../../policies/candidate-schema.ts';
import { findCandidate } from '../../policies/candidate-store.ts';
import { findNames } from '../../requesters/store.ts';
import { requesterIds, toWho } from '../usage/who.ts';
import { CandidateAnswer, CandidateQuery, LIMIT_DEFAULT } from './candidate-schema.ts';

interface CandidateDeps {
  db: Db;
  columns: Pick<Columns, 'divergences'>;
}

export function candidateFiguresRoute(app: App, { db, columns }: CandidateDeps): void {
  const operation = {
    // It shows who requested what.
    permission: ['policies:read', 'analytics:read'],
    secretKey: true,
    tag: 'Policies',
    id: 'getPolicyCandidate',
    is: 'Read the candidate of a policy, and how its decisions differ',
    query: CandidateQuery,
    answer: CandidateAnswer,
  } as const;
  route(app, 'GET /v1/policies/:id/candidate', operation, async ({ params: { id }, query }, reply) => {
    const policy = await getPolicy(db, id);
    const candidate = required(policy, await findCandidate(db, id));
    const { limit = LIMIT_DEFAULT } = query;
    const found = await columns.divergences({ no: candidate.no, limit });
    reply.header('etag', candidateEtag(policy, candidate));
    return { ...candidateAnswer(candidate), ...(await toFigures(db, found)) };
  });
}

async function toFigures(db: Db, { agreements, newlyDenied, newlyAllowed, ...by }: Divergences) {
  const [names, items] = await Promise.all([
    findNames(db, [
      ...by.byRequester.flatMap(({ id }) => id ?? []),
      ...requesterIds(by.byWho.map(({ visitor }) => visitor)),
    ]),
    findContents(
      db,
      by.byContent.flatMap(({ id }) => id ?? []),
    ),
  ]);
  return {
    decisions: agreements + newlyDenied + newlyAllowed,
    agreements,
    newlyDenied,
    newlyAllowed,
    byRequester: by.byRequester.map(({ id, ...turns }) => ({
      id,
      name: id === null ? null : (names.get(id) ?? id),
      ...turns,
    })),
    byWho: by.byWho.map(({ visitor, ...turns }) => ({ who: toWho(visitor, names), ...turns })),
    byCrawler: by.byCrawler,
    byContent: by.byContent.flatMap(({ id, ...rest }) => {
      const item = id === null ? NO_ITEM : items.get(id);
      // Deleted since it was counted.
      return item === undefined ? [] : [{ id, externalId: item.externalId, title: item.title, ...rest }];
    }),
    byReason: by.byReason,
  };
}

const NO_ITEM = { externalId: null, title: null };
