/** The usage of a partner: the usual report, filtered to it, without what counts others or names rules. */
import { type Static, Type } from 'typebox';
import { findRequester } from '../../requesters/store.ts';
import { type ReportDeps, usageReport } from '../usage/report.ts';
import { UsageQuery, UsageReport } from '../usage/schema.ts';

/** Dimensions that show nothing of rules or of others. */
const OWN_GROUPS = ['collection', 'crawler', 'verified', 'license', 'purpose', 'permission', 'enforced'] as const;
const BUCKETS = ['hour', 'day', 'week', 'month'] as const;

const {
  requesterId: _requesterId,
  groupBy: _groupBy,
  rule: _rule,
  spoofed: _spoofed,
  page: _page,
  pagePrefix: _pagePrefix,
  ...filters
} = UsageQuery.properties;

export const OwnUsageQuery = Type.Object(
  {
    ...filters,
    groupBy: Type.Optional(
      Type.Enum([...BUCKETS, ...OWN_GROUPS], {
        default: 'day',
        description: 'Length of a bucket; or what to count by in `groups`, and the buckets are days.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type OwnUsageQuery = Static<typeof OwnUsageQuery>;

const { topRequesters: _top, topContent: _content, ...parts } = UsageReport.properties;
const { title: _title, ...contentProperties } = UsageReport.properties.topContent.items.properties;

export const OwnUsage = Type.Object(
  {
    ...parts,
    topContent: Type.Array(Type.Object(contentProperties, { additionalProperties: false }), {
      description: 'The items with the most requests, then by id.',
    }),
  },
  { additionalProperties: false, title: 'PartnerUsage' },
);

/** `all` begins on the day on which the requester was registered. Throws invalid_request. */
export async function ownUsage(
  deps: ReportDeps,
  requesterId: string,
  query: OwnUsageQuery,
  isFile: boolean,
): Promise<Static<typeof OwnUsage>> {
  const {
    topRequesters: _requesters,
    topContent,
    ...report
  } = await usageReport(deps, { ...(await withStart(deps, requesterId, query)), requesterId }, isFile);
  // The title of an item that was denied is the publisher's own.
  return { ...report, topContent: topContent.map(({ title: _, ...one }) => one) };
}

/** The first decision of all would say since when others ask. */
async function withStart({ db }: ReportDeps, requesterId: string, query: OwnUsageQuery): Promise<OwnUsageQuery> {
  if (query.period !== 'all' || query.startDate !== undefined) return query;
  const { createdAt = 0 } = (await findRequester(db, requesterId)) ?? {};
  // An instant: a day of the partner's time zone might begin later.
  return { ...query, startDate: `${new Date(createdAt).toISOString().slice(0, 10)}T00:00:00Z` };
}
