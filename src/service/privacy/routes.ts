/** Erase a requester. */
import type { Changes } from '../../api/changes/changes.ts';
import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { edit } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import type { Ledger } from '../../decisions/ledger/ledger.ts';
import type { Clock } from '../../lib/clock.ts';
import { planErase } from './edits.ts';
import { EraseRequester, ErasureAnswer } from './schema.ts';

export interface PrivacyDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  ledger: Pick<Ledger, 'head'>;
  columns: Pick<Columns, 'find'>;
}

export function privacyRoutes(app: App, { db, changes, clock, ledger, columns }: PrivacyDeps): void {
  const isSeen = async (requesterId: string) =>
    (await columns.find({ requesterId }, { before: null, limit: 1 })).totalCount > 0;
  const erase = {
    tag: 'Requesters',
    permission: 'requesters:write',
    id: 'eraseRequester',
    is: 'Erase a requester: its id becomes a pseudonym in everything past; this cannot be undone',
    body: EraseRequester,
    bodyOptional: true,
    answer: ErasureAnswer,
  } as const;
  edit(app, 'POST /v1/requesters/:id/erase', erase, async (request) => {
    const { id } = request.params;
    const { confirm } = request.body;
    if (confirm !== undefined && confirm !== id) {
      throw fail('invalid_request', '`confirm` is not the id in the path.', { param: 'confirm' });
    }
    const { keyId } = request.caller;
    return changes.commit(request, id, () =>
      planErase({ db, now: clock.now(), head: ledger.head(), keyId, isSeen }, id),
    );
  });
}
