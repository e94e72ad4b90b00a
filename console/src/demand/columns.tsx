/** The columns of demand: one for each group, then what is wanted, since when, how often, and what it would bring. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatPlaces, formatWants } from '../overview/purposes.ts';
import { Trend } from '../parts/bars.tsx';
import { spanEnd, spanStart } from '../parts/days.ts';
import type { Column } from '../parts/list.tsx';
import { Chip, CrawlerLink, formatCount, formatDay, RequesterLink, Time } from '../parts/show.tsx';
import { WhoName } from '../parts/who.tsx';
import { DraftAbout } from '../policies/draft-about.tsx';
import { type Demand, GROUPS, type Group } from './groups.tsx';
import { worthWords } from './worth.ts';

interface Shown {
  /** The filters of the address. */
  values: Record<string, string | undefined>;
  maySeePrices: boolean;
}

/** Beside more groups there is no room for what is wanted; the groups say most of it. */
const WANTS_BESIDE = 2;

export function toColumns(groups: readonly Group[], { values, maySeePrices }: Shown): Column<Demand>[] {
  return [
    ...groups.map((group) => ({ label: GROUPS[group], show: SHOW[group] })),
    ...(groups.length > WANTS_BESIDE
      ? []
      : [{ label: 'Wants', show: (row: Demand) => <Wants row={row} groups={groups} /> }]),
    { label: 'Since', sort: 'lastSeen', show: showSince },
    { label: 'Change', right: true, sort: 'change', show: showChange },
    {
      label: 'Denied',
      right: true,
      narrow: true,
      sort: 'denied',
      show: (row) => <Denied row={row} groups={groups} values={values} />,
    },
    ...(maySeePrices ? [{ label: 'At our prices', right: true, show: showWorth }] : []),
  ];
}

const none = (words: string): ReactNode => <span className="soft">{words}</span>;

const SHOW: Record<Group, (row: Demand) => ReactNode> = {
  who: (row) => <Visitor row={row} />,
  requester: (row) => <Who row={row} />,
  crawler: ({ crawler }) => (crawler == null ? none('no crawler') : <CrawlerLink name={crawler} />),
  collection: ({ collectionId, collectionName }) =>
    collectionId == null ? (
      none('no collection')
    ) : (
      <Link href={`/collections/${collectionId}`}>{collectionName ?? 'deleted'}</Link>
    ),
  purpose: ({ purpose }) => purpose ?? none('not stated'),
  licenseType: ({ license }) => (license === undefined ? null : licenseWords(license)),
};

/** A requester with the next step of a sale, others with that of a rule. */
function Visitor({ row }: { row: Demand }) {
  const { who } = row;
  if (who === undefined) return null;
  if (who.kind === 'requester') return <Who row={{ ...row, requesterId: who.id }} />;
  return (
    <>
      <WhoName who={who} /> {who.proof === 'spoofed' && <Chip tone="denied">forged</Chip>}
      <span className="under step">
        <DraftAbout who={who} />
      </span>
    </>
  );
}

/** With the next step of a sale. */
function Who({ row: { requesterId, name, registered, byLicense } }: { row: Demand }) {
  if (requesterId === null) return <RequesterLink id={null} />;
  const kind = byLicense[0]?.licenseTypes[0];
  const license = new URLSearchParams({ new: '1', requesterId, ...(kind === undefined ? {} : { kind }) });
  return (
    <>
      <RequesterLink id={requesterId} name={name ?? requesterId} />
      {registered ? (
        <span className="under step">
          {name !== requesterId && `${requesterId} · `}
          <Link href={`/licenses?${license}`}>New license</Link>{' '}
          <DraftAbout who={{ kind: 'requester', id: requesterId, name }} />
        </span>
      ) : (
        <span className="under step">
          not in your list · <Link href={`/requesters?${new URLSearchParams({ new: requesterId })}`}>Add</Link>
        </span>
      )}
    </>
  );
}

type Lacking = NonNullable<Demand['license']>;

/** Formats the licenses of which any one would have turned the denials. */
function licenseWords({ licenseTypes, anyLicense }: Lacking): ReactNode {
  if (anyLicense) return 'any kind';
  return licenseTypes.length === 0 ? none('none alone would do') : licenseTypes.join(' or ');
}

function Wants({ row, groups }: { row: Demand; groups: readonly Group[] }) {
  const { topContent, collections } = row;
  const [top] = topContent;
  const [place] = groups.includes('collection') ? [] : collections;
  return (
    <div className="wants">
      {top !== undefined && <Link href={`/content/${top.id}`}>{top.title}</Link>}
      {top === undefined && place !== undefined && (
        <Link href={`/collections/${place.collectionId}`}>{place.name ?? 'a deleted collection'}</Link>
      )}
      <span className="under">{groups.includes('purpose') ? formatPlaces(row) : formatWants(row)}</span>
      {!groups.includes('licenseType') && <Needed of={row.byLicense} />}
    </div>
  );
}

function Needed({ of: [most, ...others] }: { of: Demand['byLicense'] }) {
  if (most === undefined || !(most.anyLicense || most.licenseTypes.length > 0)) return null;
  const helped = others.filter(({ anyLicense, licenseTypes }) => anyLicense || licenseTypes.length > 0);
  return (
    <span className="under">
      License: {licenseWords(most)}
      {helped.length > 0 && `, and ${helped.length} more`}
    </span>
  );
}

const showSince = ({ since, lastSeen }: Demand): ReactNode => (
  <>
    {formatDay(since)}
    <span className="under">
      last <Time at={lastSeen} />
    </span>
  </>
);

const showChange = ({ denied, previous, trend }: Demand): ReactNode => (
  <>
    <Trend values={trend} label="Denials over the span" />
    <span className="under">
      {formatChange(denied - previous)} ({formatCount(previous)} before)
    </span>
  </>
);

const formatChange = (change: number): string =>
  change === 0 ? '±0' : `${change > 0 ? '+' : '−'}${formatCount(Math.abs(change))}`;

interface DeniedProps {
  row: Demand;
  groups: readonly Group[];
  values: Record<string, string | undefined>;
}

function Denied({ row, groups, values }: DeniedProps) {
  const href = linkToDecisions(row, groups, values);
  const count = formatCount(row.denied);
  return href === undefined ? count : <Link href={href}>{count}</Link>;
}

/** The filters that the log shares with the report. */
const SHARED = ['requesterId', 'crawler', 'collectionId', 'purpose', 'contentId'] as const;
/** Filters of the report that the log does not have. */
const APART = ['licenseType', 'type', 'q'] as const;
const FIELDS = {
  requester: 'requesterId',
  crawler: 'crawler',
  collection: 'collectionId',
  purpose: 'purpose',
} as const;

/** Returns the decisions that a row counts; undefined where the log has no filter for them. */
function linkToDecisions(row: Demand, groups: readonly Group[], values: DeniedProps['values']): string | undefined {
  const [reason, ...others] = row.byReason;
  if (others.length > 0 || APART.some((name) => values[name] !== undefined)) return undefined;
  const shared = SHARED.map((name): [string, string | null | undefined] => [name, values[name] ?? '']);
  const filter = new Map([...shared, ['reason', reason?.reason]]);
  for (const group of groups) {
    if (group === 'who') {
      if (row.who?.kind !== 'requester') return undefined;
      filter.set('requesterId', row.who.id);
      continue;
    }
    if (group === 'licenseType' || row[FIELDS[group]] == null) return undefined;
    filter.set(FIELDS[group], row[FIELDS[group]]);
  }
  filter.set('from', spanStart(values.from) ?? monthAgo());
  filter.set('to', spanEnd(values.to));
  const given = [...filter].filter((entry): entry is [string, string] => !!entry[1]);
  return `/decisions?${new URLSearchParams(given)}`;
}

const DEFAULT_SPAN_MS = 30 * 86_400_000;
const monthAgo = (): string => new Date(Date.now() - DEFAULT_SPAN_MS).toISOString();

/** Sums the estimates in each currency. */
function showWorth({ byLicense }: Demand): ReactNode {
  const estimates = byLicense.flatMap(({ estimate }) => estimate ?? []);
  const [first] = estimates;
  if (first === undefined) return none('no price');
  const { basis } = first;
  return (
    <>
      <strong>{worthWords(estimates)}</strong>
      <span className="under">
        {basis.licenseId === null ? (
          <>
            {basis.licenseType}, <Link href="/offers">price list</Link>
          </>
        ) : (
          <>
            {basis.licenseType}, <Link href={`/licenses/${basis.licenseId}`}>terms of a license</Link>
          </>
        )}
        {estimates.length > 1 && ` and ${estimates.length - 1} more`}
      </span>
    </>
  );
}
