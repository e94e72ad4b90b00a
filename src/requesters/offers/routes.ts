/** List, read, put and delete offers. */
import type { FastifyRequest } from 'fastify';
import type { Author, Edit } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import type { App } from '../../api/http/app.ts';
import { isUnchanged, NotModified, requireMatch, requireNoMatch } from '../../api/http/etag.ts';
import { toList } from '../../api/http/list.ts';
import type { Committed } from '../../api/http/reply.ts';
import { edit, route } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OfferName, offerNotFound, planDelete, planPut } from './edits.ts';
import type { Offer } from './offer.ts';
import {
  ListOffersQuery,
  OfferAnswer,
  OfferDeleted,
  OfferPage,
  OfferQuery,
  offerAnswer,
  offerEtag,
  PutOffer,
} from './schema.ts';
import { findOffer, listOffers } from './store.ts';

export interface OfferDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

const reading = { tag: 'Offers', permission: 'policies:read' } as const;
const editing = { tag: 'Offers', permission: 'requesters:write', ifMatch: true, query: OfferQuery } as const;

export function offerRoutes(app: App, deps: OfferDeps): void {
  const { db, clock } = deps;
  const list = { ...reading, id: 'listOffers', is: 'List offers', query: ListOffersQuery, answer: OfferPage };
  route(app, 'GET /v1/offers', list, async ({ query }) => toList(await listOffers(db, query), offerAnswer));

  const get = {
    ...reading,
    id: 'getOffer',
    is: 'Read an offer',
    query: OfferQuery,
    answers: { 200: OfferAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/offers/:licenseType', get, async (request, reply) => {
    const name = toOfferName(request);
    const offer = await findOffer(db, name.licenseType, name.collectionId);
    if (offer === undefined) throw offerNotFound(name);
    return isUnchanged(request, reply, offerEtag(offer)) ? reply.send() : offerAnswer(offer);
  });

  const put = {
    ...editing,
    id: 'putOffer',
    is: 'Offer licenses of a type, or change the offer',
    body: PutOffer,
    answers: { 200: OfferAnswer, 201: OfferAnswer },
  };
  edit(app, 'PUT /v1/offers/:licenseType', put, (request) =>
    commit(deps, request, (name, before) => {
      if (before === undefined) requireNoMatch(request);
      return planPut(db, name, { before, body: request.body, at: clock.now() });
    }),
  );

  const remove = { ...editing, id: 'deleteOffer', is: 'Delete an offer', answer: OfferDeleted };
  edit(app, 'DELETE /v1/offers/:licenseType', remove, (request) =>
    commit(deps, request, (name, before) => {
      if (before === undefined) throw offerNotFound(name);
      return planDelete(before);
    }),
  );
}

interface Named {
  params: { licenseType: string };
  query: { collectionId?: string };
}

const toOfferName = ({ params, query }: Named): OfferName => ({
  licenseType: params.licenseType,
  collectionId: query.collectionId ?? '',
});

/** Plans in the queue of the offer. */
const commit = (
  { db, changes }: OfferDeps,
  request: Author & Named & { headers: FastifyRequest['headers'] },
  plan: (name: OfferName, before: Offer | undefined) => Edit | Promise<Edit>,
): Promise<Committed> => {
  const name = toOfferName(request);
  return changes.commit(request, JSON.stringify([name.licenseType, name.collectionId]), async () => {
    const before = await findOffer(db, name.licenseType, name.collectionId);
    if (before !== undefined) requireMatch(request, offerEtag(before));
    return plan(name, before);
  });
};
