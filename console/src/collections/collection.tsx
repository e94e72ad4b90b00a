/** The page of a collection: its selectors, ties, items and changes, and a test of addresses. */
import { Alert, Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { type AuditEntry, Entry } from '../audit/entry.tsx';
import { COLUMNS as CONTENT_COLUMNS } from '../content/columns.tsx';
import { Id } from '../parts/copy.tsx';
import { List } from '../parts/list.tsx';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { pluralize } from '../parts/plural.ts';
import { Chip, Json, Time } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { PolicyLink } from '../policies/policy-link.tsx';
import { Readers } from '../reach/readers.tsx';
import { useMay } from '../shell/session.tsx';
import { AskedFor } from './asked-for.tsx';
import { Actions } from './collection-actions.tsx';
import { Tester } from './match.tsx';
import { Observing } from './observing.tsx';
import { type Collection, Values } from './selectors.tsx';
import '../parts/timeline.css';

const UNDER = { path: '/collections', label: 'Collections' };

export default function CollectionPage() {
  const id = useId();
  const collection = useRead('GET /v1/collections/{id}', { path: { id }, query: { expand: 'warnings' } });
  return (
    <LoadedPage of={collection} under={UNDER}>
      {(data) => <CollectionView collection={data} />}
    </LoadedPage>
  );
}

function CollectionView({ collection }: { collection: Collection }) {
  const mayAudit = useMay('api_keys:manage');
  const mayAnalyze = useMay('analytics:read');
  const { id, name, version, description, mode, metadata, updated } = collection;
  return (
    <>
      <PageHead
        title={name}
        under={UNDER}
        lead={
          <span className="tags">
            <Chip>version {version}</Chip>
            {mode === 'observe' && <Chip tone="limited">observed</Chip>}
            <span>
              {description} {description !== null && '· '}changed <Time at={updated} />
            </span>
          </span>
        }
        actions={<Actions collection={collection} />}
      />
      <div className="stack">
        {mode === 'observe' && <Observing collection={collection} />}
        <Ties of={collection} />
        <div className="columns">
          <Details collection={collection} />
          {Object.keys(metadata).length > 0 && (
            <Panel title="Metadata">
              <Json of={metadata} />
            </Panel>
          )}
        </div>
        {mayAnalyze && <AskedFor collection={collection} />}
        <Panel title="Test an address" lead="Which collection an address falls in, and why">
          <Tester within={id} />
        </Panel>
        <Readers
          key={id}
          of="GET /v1/collections/{id}/readers"
          id={id}
          lead="Partners and bots that may have its pages now, those that are no items. Limits and quotas are left out."
        />
        <Items id={id} />
        {mayAudit && <ChangesOf id={id} />}
      </div>
    </>
  );
}

function Ties({ of: { warnings = [] } }: { of: Collection }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" title={`Can tie with ${pluralize(warnings.length, 'other collection')}`}>
      <ul>
        {warnings.map(({ param, message }) => (
          <li key={`${param} ${message}`}>
            <code>{param}</code> {message}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function Details({ collection }: { collection: Collection }) {
  const { id, hosts, paths, contentTypes, contentTags, policyId, created } = collection;
  return (
    <Panel title="Details">
      <Facts
        of={{
          Policy: policyId === null ? 'the default policy' : <PolicyLink id={policyId} />,
          Hosts: <Values of={hosts} />,
          Paths: <Values of={paths} />,
          Types: contentTypes.length > 0 && <Values of={contentTypes} />,
          Tags: contentTags.length > 0 && <Values of={contentTags} />,
          Id: <Id of={id} />,
          Created: <Time at={created} />,
        }}
      />
    </Panel>
  );
}

const ITEMS_SHOWN = 8;

function Items({ id }: { id: string }) {
  const items = useRead('GET /v1/content', { query: { collectionId: id, limit: ITEMS_SHOWN } });
  return (
    <Panel
      title="Items"
      lead="Registered items whose most specific collection this is"
      actions={
        items.data !== undefined &&
        items.data.totalCount > 0 && (
          <Anchor component={Link} size="sm" href={`/content?collectionId=${id}`}>
            Show all {pluralize(items.data.totalCount, 'item')}
          </Anchor>
        )
      }
    >
      <Loaded of={items}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No registered items">Addresses without an item can still fall in it.</Empty>
          ) : (
            <List caption="Items" records={data} idOf={({ id: itemId }) => itemId} columns={CONTENT_COLUMNS} />
          )
        }
      </Loaded>
    </Panel>
  );
}

const CHANGES_SHOWN = 10;

/** Every change is a version. */
function ChangesOf({ id }: { id: string }) {
  const changes = useRead('GET /v1/audit-log', { query: { object: id, limit: CHANGES_SHOWN } });
  const [open, setOpen] = useState<AuditEntry>();
  return (
    <Panel
      title="Changes"
      lead="Who edited it, with the version before and after"
      actions={
        <Anchor component={Link} size="sm" href={`/audit?object=${id}`}>
          Show all
        </Anchor>
      }
    >
      <Loaded of={changes}>
        {({ data }) => (
          <ol className="timeline">
            {data.map((entry) => (
              <li key={entry.id}>
                <button type="button" onClick={() => setOpen(entry)}>
                  <strong>{titleOf(entry)}</strong>
                  <span className="under">
                    {entry.actor.name ?? entry.actor.id ?? 'the service'} · <Time at={entry.created} />
                  </span>
                </button>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {open !== undefined && <Entry entry={open} onClose={() => setOpen(undefined)} />}
    </Panel>
  );
}

function titleOf({ after, kind }: AuditEntry): string {
  const version = (after as { version?: number } | null)?.version;
  return version === undefined ? kind : `Version ${version}`;
}
