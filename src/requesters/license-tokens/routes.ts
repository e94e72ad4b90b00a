/** Rotates the keys that sign License tokens. */
import { Type } from 'typebox';
import type { Changes } from '../../api/changes/changes.ts';
import type { App } from '../../api/http/app.ts';
import { edit } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { planRotate } from './edits.ts';

const Rotate = Type.Object(
  {
    atOnce: Type.Optional(
      Type.Boolean({
        description: 'A key may have leaked: the new one replaces all others now, and every License token ends',
      }),
    ),
  },
  { additionalProperties: false, title: 'RotateSigningKeys' },
);

const SigningKeysAnswer = Type.Object(
  {
    object: Type.Literal('signing_keys'),
    keys: Type.Array(
      Type.Object({
        kid: Type.String(),
        created: Type.String(),
        signsFrom: Type.String({ description: 'It signs from then on, until the next one does' }),
      }),
      { description: 'The keys that verify now; only their public part is ever shown, by `/olp/key`' },
    ),
  },
  { title: 'SigningKeys' },
);

export function signingKeyRoutes(app: App, { db, changes, clock }: { db: Db; changes: Changes; clock: Clock }): void {
  const rotate = {
    tag: 'License server',
    permission: 'api_keys:manage',
    id: 'rotateSigningKeys',
    is: 'Rotate the keys that sign License tokens',
    body: Rotate,
    bodyOptional: true,
    answer: SigningKeysAnswer,
  } as const;
  edit(app, 'POST /v1/signing-keys/rotate', rotate, (request) =>
    changes.commit(request, 'signing_keys', () => planRotate(db, request.body.atOnce === true, clock.now())),
  );
}
