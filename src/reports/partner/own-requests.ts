/** Requests for licenses, for the partner who makes them. */
import { toList } from '../../api/http/list.ts';
import { sendCommitted } from '../../api/http/reply.ts';
import { planRequest } from '../../requesters/requests/edits.ts';
import type { RequestDeps } from '../../requesters/requests/routes.ts';
import {
  CreateRequest,
  ListOwnRequestsQuery,
  RequestAnswer,
  RequestPage,
  requestAnswer,
} from '../../requesters/requests/schema.ts';
import { listRequests } from '../../requesters/requests/store.ts';
import { type PartnerApp, partnerRoute } from './route.ts';

export function ownRequestRoutes(partners: PartnerApp, { db, changes, clock }: RequestDeps): void {
  const create = {
    id: 'requestLicense',
    is: 'Ask the publisher for a license',
    body: CreateRequest,
    answers: { 201: RequestAnswer },
  };
  partnerRoute(partners, 'POST /v1/me/requests', create, async (requesterId, request, reply) => {
    const { body } = request;
    const plan = () => planRequest(db, requesterId, body, clock.now());
    return sendCommitted(reply, await changes.commit(request, `requests ${requesterId}`, plan));
  });

  const list = {
    id: 'listOwnRequests',
    is: 'List your requests for licenses, with their answers',
    query: ListOwnRequestsQuery,
    answer: RequestPage,
  };
  partnerRoute(partners, 'GET /v1/me/requests', list, async (requesterId, { query }) =>
    toList(await listRequests(db, { ...query, requesterId }), requestAnswer),
  );
}
