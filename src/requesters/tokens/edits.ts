/** Plans the edits of requesters' tokens: what each one writes, announces and answers. */
import type { Change, Edit } from '../../api/changes/change.ts';
import type { ChangeKind } from '../../api/changes/kinds.ts';
import { fail } from '../../api/errors.ts';
import { expiryToInherit, findEnd, hashCredential, inGrace, shownPrefix } from '../../lib/credential.ts';
import { newId } from '../../lib/id.ts';
import { tokenAnswer } from './schema.ts';
import { insertToken, replaceToken, revokeToken } from './store.ts';
import { newTokenText, type RequesterToken, TOKEN_PREFIX } from './token.ts';

/** Plans a new token; the answer holds its text. */
export function planCreate(requesterId: string, name: string, expiresAt: number | null, now: number): Edit {
  const text = newTokenText();
  const token: RequesterToken = {
    id: newId(TOKEN_PREFIX, now),
    requesterId,
    prefix: shownPrefix(text),
    name,
    expiresAt,
    replacedAt: null,
    ownExpiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  return {
    steps: [insertToken(token, hashCredential(text))],
    changes: [changed('requester_token.created', token)],
    status: 201,
    secret: true,
    body: tokenAnswer(token, text),
  };
}

export const planRevoke = (token: RequesterToken, now: number): Edit => ({
  steps: [revokeToken(token.id, now)],
  changes: [changed('requester_token.revoked', token)],
  status: 200,
  body: { id: token.id, object: 'requester_token', revoked: true },
});

/** The old token works for another `graceMs`; in its grace already, never for longer. Throws invalid_request. */
export function planRotate(old: RequesterToken, graceMs: number, now: number): Edit {
  if (findEnd(old, now) !== undefined) {
    throw fail('invalid_request', 'This token has expired; create a new one instead.');
  }
  const made = planCreate(old.requesterId, old.name, expiryToInherit(old), now);
  const replaced = inGrace(old, now, graceMs);
  const rotated = { ...old, ...replaced, updatedAt: now };
  return {
    ...made,
    steps: [...made.steps, graceMs === 0 ? revokeToken(old.id, now) : replaceToken(old, replaced, now)],
    changes: [...made.changes, { ...changed('requester_token.rotated', rotated), before: tokenAnswer(old) }],
  };
}

export const changed = (kind: ChangeKind, token: RequesterToken): Change => ({
  kind,
  id: token.id,
  ownerId: token.requesterId,
  object: tokenAnswer(token),
});
