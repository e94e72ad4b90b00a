/** Erasures on the wire. */
import { type Static, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import type { Erasure } from './store.ts';

export const EraseRequester = Type.Object(
  {
    confirm: Type.Optional(
      Type.String({ maxLength: 128, description: 'The id once more; it must be the one in the path' }),
    ),
  },
  { additionalProperties: false },
);

export const ErasureAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('erasure'),
    status: Type.Enum(['running', 'done'], {
      description: '`done`: no trace is left; the id then answers as never known',
    }),
    pseudonym: Type.String({ description: 'Stands for the requester in past decisions, statements and changes' }),
    decisions: Type.Integer({ description: 'Decisions in which it was replaced so far' }),
    walked: Type.Integer({ description: 'Decisions that were looked at so far, of `of`' }),
    of: Type.Integer({ description: 'Decisions when it began' }),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'Erasure', description: 'An erasure of a requester; it cannot be undone' },
);

export const erasureAnswer = (one: Erasure): Static<typeof ErasureAnswer> => ({
  id: one.id,
  object: 'erasure',
  status: one.status === 'done' ? 'done' : 'running',
  pseudonym: one.pseudonym,
  decisions: one.decisions,
  walked: one.status === 'decisions' ? one.walkedSeq : one.lastSeq,
  of: one.lastSeq,
  created: toIso(one.createdAt),
  updated: toIso(one.updatedAt),
});
