/** Visitors by page and by time, on the wire. */
import { type Static, Type } from 'typebox';
import { PROOFS } from '../../decisions/history/columns/dimensions.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { GROUP_DEFAULT, GROUPS } from './period.ts';
import { UsageQuery, UsageReport } from './schema.ts';
import { closed, count } from './seen-schema.ts';

const { groupBy: _groupBy, expand: _expand, compare: _compare, limit: _limit, ...filters } = UsageQuery.properties;

export const ROWS_DEFAULT = 10;
export const PAGES_DEFAULT = 20;

export const VisitorsQuery = Type.Object(
  {
    ...filters,
    groupBy: Type.Optional(Type.Enum([...GROUPS], { default: GROUP_DEFAULT, description: 'Length of a bucket.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: ROWS_DEFAULT, description: 'Number of visitors.' }),
    ),
    pages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: PAGES_DEFAULT, description: 'Number of pages.' }),
    ),
  },
  closed,
);
export type VisitorsQuery = Static<typeof VisitorsQuery>;

/** A visitor. The name of a crawler proves nothing: `proof` says more. */
export const Who = Type.Object(
  {
    kind: Type.Enum(['requester', 'crawler', 'program', 'browsers', 'no_user_agent', 'unknown'], {
      description:
        'Without a requester, the crawler that the user agent names; without one, the program. `unknown`: the user agent was not kept.',
    }),
    id: textOrNull(
      'The id of the requester, or the name of the crawler or program; `other`: a program without a name of its own.',
    ),
    name: textOrNull('The name of a registered requester, else `id`.'),
    proof: Type.Optional(
      Type.Enum([...PROOFS], {
        description:
          'Only of crawlers: `verified`, `spoofed` where a name was claimed falsely, `none` where nothing proves it.',
      }),
    ),
  },
  { ...closed, title: 'Who' },
);
export type Who = Static<typeof Who>;

const counts = {
  requests: count('Decisions.'),
  allowed: count('Allowed decisions.'),
  denied: count('Denied decisions.'),
  verified: count('Requests that were verified.'),
  spoofed: count('Requests whose visitor claimed a name falsely.'),
};
const VisitedPage = Type.Object(
  { page: Type.String({ description: 'Host and path, without a query.' }), ...counts },
  { ...closed, title: 'PageVisits' },
);

export const VisitorsReport = Type.Object(
  {
    object: Type.Literal('visitors_report'),
    uniqueVisitors: count('All visitors, also those that are not listed.'),
    uniquePages: count('All pages, also those that are not listed.'),
    buckets: Type.Array(Type.String(), { description: 'Dates of the buckets, as usage has them.' }),
    visitors: Type.Array(
      Type.Object(
        {
          who: Who,
          ...counts,
          trend: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Requests in each of `buckets`.' }),
          pages: Type.Array(VisitedPage, {
            description: 'Its requests for the listed pages, most first; pages that it did not ask for are left out.',
          }),
        },
        closed,
      ),
      { description: 'Those with the most requests.' },
    ),
    pages: Type.Array(VisitedPage, { description: 'The pages without an item that were requested most.' }),
    period: UsageReport.properties.period,
  },
  { ...closed, title: 'VisitorsReport' },
);
export type VisitorsReport = Static<typeof VisitorsReport>;
