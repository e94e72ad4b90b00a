/** The last comparison of a site with its live files, and a new one on demand. */

import type { App } from '../../api/http/app.ts';
import { edit, route } from '../../api/http/route.ts';
import { requireHost } from '../../api/http/target.ts';
import { siteNotFound } from '../../content/sites/edits.ts';
import { findSite } from '../../content/sites/store.ts';
import type { Db } from '../../db/db.ts';
import type { DriftChecks } from './checks.ts';
import { driftAnswer, SignalsDrift } from './schema.ts';
import { findCheck } from './store.ts';

export interface DriftRouteDeps {
  db: Db;
  driftChecks: Pick<DriftChecks, 'check'>;
}

const PATH = '/v1/sites/:host/signals/drift';

export function driftRoutes(app: App, { db, driftChecks }: DriftRouteDeps): void {
  const read = {
    tag: 'Sites',
    permission: 'policies:read',
    id: 'getSignalsDrift',
    is: 'Read how the live files of a site differ',
    answer: SignalsDrift,
  } as const;
  route(app, `GET ${PATH}`, read, async ({ params }) => {
    const host = requireHost(params.host);
    if ((await findSite(db, host)) === undefined) throw siteNotFound(host);
    return driftAnswer(host, await findCheck(db, host));
  });

  const check = {
    tag: 'Sites',
    permission: 'policies:write',
    id: 'checkSignalsDrift',
    is: 'Compare the live files of a site now',
    answer: SignalsDrift,
  } as const;
  edit(app, `POST ${PATH}`, check, (request) => driftChecks.check(requireHost(request.params.host), request));
}
