/** Requests for licenses, for publishers: read, granted, declined. */
import type { Changes } from '../../api/changes/changes.ts';
import type { App } from '../../api/http/app.ts';
import { toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { planDecline, planGrant, requestNotFound } from './edits.ts';
import {
  DeclineRequest,
  GrantRequest,
  ListRequestsQuery,
  RequestAnswer,
  RequestPage,
  requestAnswer,
} from './schema.ts';
import { findRequest, listRequests } from './store.ts';

export interface RequestDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

const reading = { tag: 'Licenses', permission: 'requesters:read' } as const;
const writing = { tag: 'Licenses', permission: 'requesters:write' } as const;

export function requestRoutes(app: App, { db, changes, clock }: RequestDeps): void {
  const list = {
    ...reading,
    id: 'listLicenseRequests',
    is: 'List requests for licenses',
    query: ListRequestsQuery,
    answer: RequestPage,
  };
  route(app, 'GET /v1/license-requests', list, async ({ query }) =>
    toList(await listRequests(db, query), requestAnswer),
  );

  const read = { ...reading, id: 'getLicenseRequest', is: 'Read a request for a license', answer: RequestAnswer };
  route(app, 'GET /v1/license-requests/:id', read, async ({ params: { id } }) => {
    const request = await findRequest(db, id);
    if (request === undefined) throw requestNotFound(id);
    return requestAnswer(request);
  });

  const grant = {
    ...writing,
    id: 'grantLicenseRequest',
    is: 'Grant a request: creates the license',
    body: GrantRequest,
    bodyOptional: true,
    answer: RequestAnswer,
  } as const;
  edit(app, 'POST /v1/license-requests/:id/grant', grant, (request) => {
    const { params, body } = request;
    return changes.commit(request, params.id, () => planGrant(db, params.id, body, clock.now()));
  });

  const decline = {
    ...writing,
    id: 'declineLicenseRequest',
    is: 'Decline a request',
    body: DeclineRequest,
    bodyOptional: true,
    answer: RequestAnswer,
  } as const;
  edit(app, 'POST /v1/license-requests/:id/decline', decline, (request) => {
    const { params, body } = request;
    return changes.commit(request, params.id, () => planDecline(db, params.id, body.answer ?? null, clock.now()));
  });
}
