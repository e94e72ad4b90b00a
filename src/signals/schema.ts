/** Signals on the wire. */
import { type Static, Type } from 'typebox';
import { PageQuerySchema } from '../api/http/list.ts';
import { orNull, textOrNull } from '../lib/nullable.ts';
import { UNKNOWNS } from './table/questions.ts';
import { USES } from './table/words.ts';

export const SignalQuery = Type.Object(
  {
    asOf: Type.Optional(
      Type.String({ format: 'date-time', maxLength: 64, description: 'What was served at this past time' }),
    ),
  },
  { additionalProperties: false },
);

export const TdmPolicyQuery = Type.Object(
  {
    ...SignalQuery.properties,
    collectionId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The policy of this collection; by default a list of all',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ReportQuery = PageQuerySchema;

const published = {
  allowed: Type.Boolean(),
  reason: textOrNull('Why it is denied'),
  rule: orNull(Type.Integer(), 'The index of the rule that decided; null: the default action'),
  varies: Type.Array(Type.Enum([...UNKNOWNS]), {
    description: 'Why some visitors get a less restrictive answer than the one that is published',
  }),
};

const PublishedAnswer = Type.Object(published, { title: 'PublishedAnswer' });

const Statement = Type.Object(
  {
    pattern: Type.String({ description: 'The first statement whose pattern matches a URL holds for it' }),
    free: Type.Boolean({ description: 'Free for everybody: no policy is asked' }),
    collectionId: textOrNull(),
    contentId: textOrNull(),
    policyId: textOrNull(),
    policyVersion: Type.Integer(),
    observed: Type.Boolean({ description: 'The collection only observes: what is said is not enforced' }),
    answers: Type.Array(
      Type.Object({
        crawlers: Type.Array(Type.String(), { description: 'The first of them; `*` for everybody else' }),
        crawlerCount: Type.Integer(),
        access: PublishedAnswer,
        uses: Type.Object(Object.fromEntries(USES.map((use) => [use, PublishedAnswer]))),
      }),
    ),
  },
  { title: 'SignalStatement' },
);

const CannotExpress = Type.Object(
  {
    kind: textOrNull('The signal; null: all of them'),
    about: Type.Array(Type.String()),
    message: Type.String(),
  },
  { title: 'SignalLimit', description: 'Something that a format cannot say; what is published is more restrictive' },
);

export const SignalsReport = Type.Object(
  {
    object: Type.Literal('signals_report'),
    host: Type.String(),
    statements: Type.Array(Statement),
    hasMore: Type.Boolean(),
    totalCount: Type.Integer({ description: 'Statements' }),
    nextCursor: textOrNull(),
    cannotExpress: Type.Array(CannotExpress),
    contradictions: Type.Array(
      Type.Object({ pattern: Type.String(), crawler: Type.String(), message: Type.String() }),
      {
        description:
          'Statements of robots.txt and tdmrep.json, read back, that the policies contradict; there must be none',
      },
    ),
    baseContradicts: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'The line of `robotsBase`, from 1' }),
        statement: Type.String({ description: 'What the line says' }),
        crawler: Type.String({ description: 'The first crawler that reads it; `*` for everybody else' }),
        pattern: Type.String({ description: 'Where a policy denies that' }),
        message: Type.String(),
      }),
      {
        description:
          'Lines of the site’s own robots.txt that allow what a policy denies: `Allow`, `Content-Signal` and `Content-Usage`. They stay; the first 100',
      },
    ),
  },
  { title: 'SignalsReport' },
);
export type SignalsReport = Static<typeof SignalsReport>;
