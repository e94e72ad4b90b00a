/** The page of an item: its fields, its policy and its usage. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { CollectionLink, PolicyOf } from '../collections/names.tsx';
import { Decisions } from '../decisions/table.tsx';
import { PeriodBar } from '../overview/period-bar.tsx';
import { UsageOver } from '../overview/usage-over.tsx';
import { Id } from '../parts/copy.tsx';
import { IconExternalLink } from '../parts/icons.ts';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, formatCount, formatPercent, Json, Tags, Time } from '../parts/show.tsx';
import { Readers } from '../reach/readers.tsx';
import { useMay } from '../shell/session.tsx';
import { Actions } from './item-actions.tsx';
import type { Item } from './types.ts';

const UNDER = { path: '/content', label: 'Content' };

export default function ItemPage() {
  const id = useId();
  const item = useRead('GET /v1/content/{id}', { path: { id } });
  return (
    <LoadedPage of={item} under={UNDER}>
      {(data) => <ItemView item={data} />}
    </LoadedPage>
  );
}

function ItemView({ item }: { item: Item }) {
  const mayAnalyze = useMay('analytics:read');
  return (
    <>
      <PageHead
        title={item.title}
        under={UNDER}
        lead={
          <span className="tags">
            <Chip>{item.type}</Chip>
            <Chip tone={item.status === 'active' ? 'allowed' : 'denied'}>{item.status}</Chip>
          </span>
        }
        actions={<Actions item={item} />}
      />
      <div className="stack">
        <Totals stats={item.stats} />
        {mayAnalyze && (
          <div>
            <PeriodBar />
            <UsageOver key={item.id} title={(span) => `Requests ${span}`} query={{ contentId: item.id }} />
          </div>
        )}
        <div className="columns">
          <Details item={item} />
          <Panel title="Metadata">
            <Json of={item.metadata} />
          </Panel>
        </div>
        <Readers
          key={item.id}
          of="GET /v1/content/{id}/readers"
          id={item.id}
          lead="Partners and bots that your rules allow it now. Limits and quotas are left out."
        />
        {mayAnalyze && <LatestDecisions id={item.id} />}
      </div>
    </>
  );
}

const NO_STATS = { totalRequests: 0, allowedRequests: 0, deniedRequests: 0 };

function Totals({ stats = NO_STATS }: { stats: Item['stats'] }) {
  const { totalRequests, allowedRequests, deniedRequests } = stats;
  return (
    <div className="totals">
      <Total name="Requests" value={formatCount(totalRequests)} under="since it was registered" />
      <Total
        name="Allowed"
        value={formatCount(allowedRequests)}
        under={formatPercent(allowedRequests, totalRequests)}
      />
      <Total name="Denied" value={formatCount(deniedRequests)} under={formatPercent(deniedRequests, totalRequests)} />
    </div>
  );
}

function Total({ name, value, under }: { name: string; value: string; under: string }) {
  return (
    <div className="total">
      <div className="name">{name}</div>
      <div className="value">{value}</div>
      <div className="than">{under}</div>
    </div>
  );
}

function Details({ item }: { item: Item }) {
  return (
    <Panel title="Details">
      <Facts
        of={{
          Id: <Id of={item.id} />,
          'External id': <Id of={item.externalId} />,
          Source: (
            <Anchor href={item.source} target="_blank" rel="noreferrer" size="sm">
              {item.source} <IconExternalLink size={13} />
            </Anchor>
          ),
          Policy: <PolicyOf of={item} />,
          Collection: item.collectionId !== null && <CollectionLink id={item.collectionId} />,
          Tags: <Tags of={item.tags} />,
          Registered: <Time at={item.created} />,
          Updated: <Time at={item.updated} />,
        }}
      />
    </Panel>
  );
}

function LatestDecisions({ id }: { id: string }) {
  return (
    <Panel
      title="Latest decisions"
      actions={
        <Anchor component={Link} size="sm" href={`/decisions?contentId=${id}`}>
          Show all
        </Anchor>
      }
    >
      <Decisions omit="Item" query={{ contentId: id, limit: 8 }} />
    </Panel>
  );
}
