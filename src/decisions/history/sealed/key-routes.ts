/** Lists the keys of the log, and replaces the one that signs. */
import { Type } from 'typebox';
import type { Changes } from '../../../api/changes/changes.ts';
import type { App } from '../../../api/http/app.ts';
import { edit, route } from '../../../api/http/route.ts';
import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../lib/clock.ts';
import { textOrNull } from '../../../lib/nullable.ts';
import { planRotateLogKey, requireLog, toLogKeys } from './key-edits.ts';
import { readKeys, type Signing } from './keys.ts';

const LogKeysAnswer = Type.Object(
  {
    object: Type.Literal('log_keys'),
    keys: Type.Array(
      Type.Object({
        key: Type.String({ description: 'A verifier key (C2SP signed-note); the private part is never shown' }),
        since: textOrNull('null: the first key'),
        until: textOrNull('null: it signs now'),
      }),
      { description: 'The newest first; none where no log is kept' },
    ),
  },
  { title: 'LogKeys' },
);

interface Deps {
  db: Db;
  changes: Changes;
  clock: Clock;
  signing: Signing | null;
}

export function logKeyRoutes(app: App, { db, changes, clock, signing }: Deps): void {
  const list = {
    tag: 'Access',
    permission: 'analytics:read',
    id: 'listLogKeys',
    is: 'List the keys of the log of receipts',
    answer: LogKeysAnswer,
  } as const;
  route(app, 'GET /v1/log-keys', list, async () =>
    signing === null ? { object: 'log_keys' as const, keys: [] } : toLogKeys(await readKeys(db), signing),
  );

  const rotate = {
    tag: 'Access',
    permission: 'api_keys:manage',
    id: 'rotateLogKey',
    is: 'Replace the key of the log of receipts, at once',
    answer: LogKeysAnswer,
  } as const;
  edit(app, 'POST /v1/log-keys/rotate', rotate, (request) =>
    changes.commit(request, 'log_keys', () => planRotateLogKey(db, requireLog(signing), clock.now())),
  );
}
