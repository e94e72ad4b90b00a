/** List the published lists that verify visitors; accept one that is held back. */
import type { Changes } from '../../api/changes/changes.ts';
import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { PageQuerySchema, toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Identities } from './identities.ts';
import { AcceptList, ListAnswer, ListPage, listAnswer } from './schema.ts';
import { acceptHeld, findList, listLists } from './store.ts';

export interface IdentityDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  identities: Pick<Identities, 'refresh'>;
}

export function identityRoutes(app: App, { db, changes, clock, identities }: IdentityDeps): void {
  const list = {
    tag: 'Crawlers',
    permission: 'requesters:read',
    id: 'listIdentityLists',
    is: 'List the published lists of addresses',
    query: PageQuerySchema,
    answer: ListPage,
  } as const;
  route(app, 'GET /v1/identity-lists', list, async ({ query }) =>
    toList(await listLists(db, query), (one) => listAnswer(one, clock.now())),
  );

  const accept = {
    tag: 'Crawlers',
    permission: 'requesters:write',
    id: 'acceptIdentityList',
    is: 'Accept a list that is held back',
    body: AcceptList,
    answer: ListAnswer,
  } as const;
  edit(app, 'POST /v1/identity-lists/accept', accept, async (request) => {
    const committed = await changes.commit(request, request.body.url, async () => {
      const before = await findList(db, request.body.url);
      if (before?.heldAt == null) {
        throw fail('invalid_request', 'No ranges of this list are held back.', { param: 'url' });
      }
      const after = {
        ...before,
        ranges: before.heldRanges ?? 0,
        fetchedAt: before.heldAt,
        heldAt: null,
        heldSince: null,
      };
      const now = clock.now();
      const [object, previous] = [listAnswer(after, now), listAnswer(before, now)];
      return {
        steps: [acceptHeld(before)],
        changes: [{ kind: 'identity.list_accepted', id: before.url, object, before: previous }],
        status: 200,
        body: object,
      };
    });
    await identities.refresh();
    return committed;
  });
}
