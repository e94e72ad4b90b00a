/** Lists requests that find neither an item nor a collection. */

import type { App } from '../../api/http/app.ts';
import { readSpan, toList } from '../../api/http/list.ts';
import { route } from '../../api/http/route.ts';
import { requireHost } from '../../api/http/target.ts';
import { isPublicKey } from '../../api/permissions.ts';
import type { Db } from '../../db/db.ts';
import { UnregisteredPage, UnregisteredQuery } from './schema.ts';
import { listCounts } from './store.ts';
import type { Unregistered } from './unregistered.ts';

export function unregisteredRoutes(app: App, { db, unregistered }: { db: Db; unregistered: Unregistered }): void {
  const list = {
    tag: 'Analytics',
    permission: 'analytics:read',
    id: 'listUnregistered',
    is: 'List requests that no item or collection answers',
    query: UnregisteredQuery,
    answer: UnregisteredPage,
  } as const;
  route(app, 'GET /v1/analytics/unregistered', list, async ({ query, caller }) => {
    const { from: _from, to: _to, host, ...rest } = query;
    const span = readSpan(query);
    const named = !isPublicKey(caller);
    const filter = { ...rest, ...span, named, host: host === undefined ? undefined : requireHost(host) };
    await unregistered.flush();
    return toList(await listCounts(db, filter));
  });
}
