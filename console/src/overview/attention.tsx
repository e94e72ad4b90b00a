/** Lists the things that need attention now, the most severe first, each with the step to take. */
import { Button } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { Chip, CrawlerLink, type Outcome, Time, Words } from '../parts/show.tsx';
import { Failed } from '../parts/states.tsx';
import './attention.css';

type Item = Row<'GET /v1/attention'>;

const EVERY_MS = 60_000;
const SHOWN = 4;
const CRAWLERS_APART = 2;
/** New crawlers that are named. */
const NAMED = 5;

export default function Attention() {
  const attention = useRead('GET /v1/attention', {}, { everyMs: EVERY_MS });
  const [all, setAll] = useState(false);
  const { data, error } = attention;
  if (data === undefined) {
    if (error === null) return null;
    return (
      <div className="needs-attention">
        <Failed error={error} onRetry={() => void attention.refetch()} />
      </div>
    );
  }
  if (data.data.length === 0) return null;
  const { rows, crawlers } = fold(data.data);
  const hidden = rows.length - SHOWN;
  return (
    <div className="needs-attention">
      <Panel
        title="Needs attention"
        actions={
          hidden > 0 && (
            <Button size="compact-sm" variant="subtle" onClick={() => setAll(!all)} aria-expanded={all}>
              {all ? 'Show fewer' : `${hidden} more`}
            </Button>
          )
        }
      >
        <ul className="attention">
          {(all ? rows : rows.slice(0, SHOWN)).map((item) => (
            <ItemRow key={`${item.kind} ${item.message}`} item={item} />
          ))}
          {crawlers.length > 0 && <Newcomers names={crawlers} hasMore={data.hasMore} />}
        </ul>
      </Panel>
    </div>
  );
}

/**
 * Folds new crawlers into one row, which is always in sight: on a busy site they are the least severe, and the most.
 */
function fold(items: readonly Item[]): { rows: readonly Item[]; crawlers: string[] } {
  const crawlers = items.filter(({ kind }) => kind === 'crawler');
  if (crawlers.length <= CRAWLERS_APART && items.length <= SHOWN) return { rows: items, crawlers: [] };
  return {
    rows: items.filter(({ kind }) => kind !== 'crawler'),
    crawlers: crawlers.map(({ subject: { crawler = '' } }) => crawler),
  };
}

function Newcomers({ names, hasMore }: { names: readonly string[]; hasMore: boolean }) {
  return (
    <li>
      <Chip>New</Chip>
      <div className="what">
        {hasMore && 'More than '}
        {pluralize(names.length, 'crawler')} came for the first time:{' '}
        {names.slice(0, NAMED).map((name, i) => (
          <Fragment key={name}>
            {i > 0 && ', '}
            <CrawlerLink name={name} />
          </Fragment>
        ))}
        {names.length > NAMED && ' …'}
      </div>
      <Link href="/crawlers">See crawlers</Link>
    </li>
  );
}

const SEVERITIES: Record<Item['severity'], { word: string; tone?: Outcome }> = {
  high: { word: 'Urgent', tone: 'denied' },
  medium: { word: 'Soon', tone: 'limited' },
  low: { word: 'New' },
};

function ItemRow({ item }: { item: Item }) {
  const { kind, severity, message, since } = item;
  const { word, tone } = SEVERITIES[severity];
  const step = STEPS[kind]?.(item);
  return (
    <li>
      <Chip tone={tone}>{word}</Chip>
      <div className="what">
        <Words of={message} />
        {since !== null && BEGUN.has(kind) && (
          <span className="under">
            <Time at={since} />
          </span>
        )}
      </div>
      {step !== undefined && <Link href={step.path}>{step.label}</Link>}
    </li>
  );
}

/** Kinds whose `since` is the time of something that happened. */
const BEGUN: ReadonlySet<string> = new Set<Item['kind']>([
  'license_request',
  'webhook',
  'unreadable_address',
  'identity_list',
  'agent_keys',
  'crawler_directory',
  'drift',
  'spoofing',
  'crawler',
]);

interface Step {
  label: string;
  path: string;
}

const licenseOf = ({ subject: { licenseId = '' } }: Item): string => `/licenses/${licenseId}`;
const decisionsOf = (filter: Record<string, string | undefined>): string => {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/decisions?${new URLSearchParams(given)}`;
};

const STEPS: Partial<Record<string, (item: Item) => Step>> = {
  license_ending: (item) => ({ label: 'Renew license', path: licenseOf(item) }),
  quota: (item) => ({ label: 'See its quota', path: licenseOf(item) }),
  license_request: () => ({ label: 'Answer request', path: '/requests' }),
  webhook: ({ subject: { webhookId = '' } }) => ({ label: 'See deliveries', path: `/webhooks/${webhookId}` }),
  unreadable_address: () => ({ label: 'See the status', path: '/status' }),
  identity_list: () => ({ label: 'See the lists', path: '/status' }),
  crawler_directory: () => ({ label: 'See the crawlers', path: '/crawlers' }),
  agent_keys: () => ({ label: 'See the status', path: '/status' }),
  shared_name: ({ subject: { requesterId = '' } }) => ({
    label: 'See the partner',
    path: `/requesters/${encodeURIComponent(requesterId)}`,
  }),
  drift: ({ subject: { host = '' } }) => ({ label: 'See the differences', path: `/sites/${encodeURIComponent(host)}` }),
  denials: ({ subject: { requesterId, crawler, program }, since }) => ({
    label: 'See denials',
    path: decisionsOf({ allowed: 'false', requesterId, crawler, program, from: since ?? undefined }),
  }),
  spoofing: ({ since }) => ({
    label: 'See requests',
    path: decisionsOf({ spoofed: 'true', from: since ?? undefined }),
  }),
  crawler: ({ subject: { crawler = '' } }) => ({
    label: 'See what it asks for',
    path: `/crawlers/${encodeURIComponent(crawler)}`,
  }),
} satisfies Record<Item['kind'], (item: Item) => Step>;
