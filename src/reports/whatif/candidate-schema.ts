/** Counts of a candidate's decisions on the wire. */
import { type Static, Type } from 'typebox';
import { reasonOrNull as reason } from '../../decisions/log/schema.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { candidateProperties } from '../../policies/candidate-schema.ts';
import { Who } from '../usage/visitors-schema.ts';

export const LIMIT_DEFAULT = 20;

export const CandidateQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: LIMIT_DEFAULT, description: 'Length of the lists' }),
    ),
  },
  { additionalProperties: false },
);
export type CandidateQuery = Static<typeof CandidateQuery>;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const turns = {
  newlyDenied: count('Allowed by the policy, denied by the candidate'),
  newlyAllowed: count('Denied by the policy, allowed by the candidate'),
};

export const CandidateAnswer = Type.Object(
  {
    ...candidateProperties,
    decisions: count('Recorded decisions of the policy since then'),
    agreements: count('Both allowed or both denied; rate limits are left out'),
    ...turns,
    byRequester: Type.Array(
      Type.Object({ id: textOrNull(), name: textOrNull(), ...turns }, { description: 'null: anonymous checks' }),
    ),
    byWho: Type.Array(Type.Object({ who: Who, ...turns }), {
      description: 'The same, and anonymous checks by crawler or program',
    }),
    byCrawler: Type.Array(Type.Object({ crawler: textOrNull(), ...turns }, { description: 'null: no known crawler' })),
    byContent: Type.Array(
      Type.Object(
        { id: textOrNull(), externalId: textOrNull(), title: textOrNull(), url: textOrNull(), ...turns },
        { description: 'An item, or a URL without one' },
      ),
    ),
    byReason: Type.Array(
      Type.Object({
        from: reason,
        to: reason,
        count: count('Divergences with this reason of the policy and of the candidate'),
      }),
    ),
  },
  {
    title: 'PolicyCandidateFigures',
    description: 'A candidate, and how its decisions differ from those of its policy; most divergences first',
  },
);
