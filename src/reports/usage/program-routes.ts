/** The list of programs that the directory of crawlers does not name. */
import { type Static, Type } from 'typebox';
import type { App } from '../../api/http/app.ts';
import { type CsvColumns, JSON_OR_CSV } from '../../api/http/csv.ts';
import { listSchema, pageProperties, readSpan, spanProperties } from '../../api/http/list.ts';
import { route } from '../../api/http/route.ts';
import { PAGE_DEFAULT } from '../../db/page.ts';
import { PROGRAM_SORTS } from '../../decisions/history/columns/dimensions.ts';
import type { SeenProgram } from '../../decisions/history/columns/program-list.ts';
import type { RobotsReads } from '../../decisions/visitors/robots-reads.ts';
import { toIso } from '../../lib/clock.ts';
import { orNull } from '../../lib/nullable.ts';
import { fromCrawlers } from '../../rules/crawlers/directory.ts';
import { parsePosition, sendList } from './lists.ts';
import type { ReportDeps } from './report.ts';
import { closed, count, enforced, q, time } from './seen-schema.ts';

const ProgramsQuery = Type.Object(
  {
    ...pageProperties,
    ...spanProperties,
    q,
    enforced,
    sort: Type.Optional(
      Type.Enum([...PROGRAM_SORTS], { default: 'requests', description: 'Greatest or latest first, then by name.' }),
    ),
  },
  closed,
);

const ProgramRow = Type.Object(
  {
    program: Type.String({ description: 'The first product token of its user agents, in lowercase.' }),
    requests: count('Recorded decisions in the span, without those on a requester.'),
    allowed: count('Allowed decisions.'),
    denied: count('Denied decisions.'),
    pages: count('Pages and items.'),
    addresses: orNull(
      Type.Integer({ minimum: 1 }),
      'About how many addresses it used on the day with most of them. null: no address was kept.',
    ),
    addressesApproximate: Type.Literal(true, { description: 'No address is kept for it; the number is an estimate.' }),
    firstSeen: time('Time of the first decision in the span.'),
    lastSeen: time('Time of the newest decision in the span.'),
    robotsRead: Type.Boolean({ description: 'It asked for a robots.txt, in the span or at another time.' }),
  },
  { ...closed, title: 'UnknownProgram' },
);
type ProgramRow = Static<typeof ProgramRow>;

const CSV: CsvColumns<ProgramRow> = [
  ['program', (row) => row.program],
  ['requests', (row) => row.requests],
  ['allowed', (row) => row.allowed],
  ['denied', (row) => row.denied],
  ['pages', (row) => row.pages],
  ['addresses', (row) => row.addresses],
  ['firstSeen', (row) => row.firstSeen],
  ['lastSeen', (row) => row.lastSeen],
  ['robotsRead', (row) => row.robotsRead],
];

/** Names of programs that the directory in force has. */
const namedPrograms = fromCrawlers((crawlers) =>
  crawlers.flatMap(({ userAgents }) => userAgents.map((token) => token.toLowerCase())),
);

export interface ProgramDeps extends ReportDeps {
  robotsReads: Pick<RobotsReads, 'find'>;
}

export function programsRoute(app: App, { columns, now, robotsReads }: ProgramDeps): void {
  const list = {
    permission: 'analytics:read',
    tag: 'Analytics',
    // Anybody may have a public key.
    secretKey: true,
    id: 'listPrograms',
    is: 'List programs that the crawler directory does not name',
    query: ProgramsQuery,
    answer: listSchema(ProgramRow),
    media: JSON_OR_CSV,
  } as const;
  route(app, 'GET /v1/analytics/programs', list, ({ query }, reply) => {
    const { limit = PAGE_DEFAULT, cursor, enforced: isEnforced = true, sort = 'requests' } = query;
    const filter = { ...readSpan(query), enforced: isEnforced };
    return sendList(
      reply,
      {
        read: (after, some) =>
          columns.programs({ q: query.q, filter, sort, after, limit: some, named: namedPrograms() }),
        async toRows(found) {
          const readers = await robotsReads.find(found.map(({ id }) => id));
          return found.map((one) => toRow(one, readers));
        },
        csv: CSV,
      },
      limit,
      parsePosition(cursor, now()),
    );
  });
}

function toRow(
  { id, requests, allowed, pages, addresses, firstSeen, lastSeen, readsRobots }: SeenProgram,
  readers: ReadonlySet<string>,
): ProgramRow {
  return {
    program: id,
    requests,
    allowed,
    denied: requests - allowed,
    pages,
    addresses,
    addressesApproximate: true,
    firstSeen: toIso(firstSeen),
    lastSeen: toIso(lastSeen),
    robotsRead: readsRobots || readers.has(id),
  };
}
