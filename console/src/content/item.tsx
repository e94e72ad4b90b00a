/** One item: what it is, the policy it is under, how it was asked for. */
import { Anchor, Modal } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconExternalLink, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead, useWrite } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { UsageOver } from '../overview/usage-over.tsx';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { told, toldFailed } from '../parts/notices.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, countOf, Json, Moment, percentOf, Tags } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { useMay } from '../shell/session.tsx';
import { ItemForm } from './item-form.tsx';
import type { Item } from './types.ts';

export default function ItemPage() {
  const id = useId();
  const item = useRead('GET /v1/content/{id}', { path: { id } });
  return (
    <Loaded of={item} rows={8}>
      {(data) => <Shown item={data} />}
    </Loaded>
  );
}

function Shown({ item }: { item: Item }) {
  const mayAnalyse = useMay('analytics:read');
  const choices = usePolicyChoices();
  const stats = item.stats ?? { totalRequests: 0, allowedRequests: 0, deniedRequests: 0 };
  return (
    <>
      <PageHead
        title={item.title}
        under={{ path: '/content', label: 'Content' }}
        lead={
          <span className="tags">
            <Chip>{item.type}</Chip>
            <Chip tone={item.status === 'active' ? 'allowed' : 'denied'}>{item.status}</Chip>
          </span>
        }
        actions={<Actions item={item} />}
      />
      <div className="stack">
        <div className="totals">
          <Total name="Requests" value={countOf(stats.totalRequests)} under="since it was registered" />
          <Total
            name="Allowed"
            value={countOf(stats.allowedRequests)}
            under={percentOf(stats.allowedRequests, stats.totalRequests)}
          />
          <Total
            name="Denied"
            value={countOf(stats.deniedRequests)}
            under={percentOf(stats.deniedRequests, stats.totalRequests)}
          />
        </div>
        {mayAnalyse && <UsageOver title="The last 30 days" query={{ contentId: item.id }} />}
        <div className="columns">
          <Panel title="About it">
            <dl className="facts">
              <dt>Id</dt>
              <dd>
                <Id of={item.id} />
              </dd>
              <dt>External id</dt>
              <dd>
                <Id of={item.externalId} />
              </dd>
              <dt>Source</dt>
              <dd>
                <Anchor href={item.source} target="_blank" rel="noreferrer" size="sm">
                  {item.source} <IconExternalLink size={13} />
                </Anchor>
              </dd>
              <dt>Policy</dt>
              <dd>
                <Link href={`/policies/${item.policyId}`}>
                  {choices.find(({ value }) => value === item.policyId)?.label ?? item.policyId}
                </Link>
              </dd>
              <dt>Tags</dt>
              <dd>
                <Tags of={item.tags} />
              </dd>
              <dt>Registered</dt>
              <dd>
                <Moment at={item.created} />
              </dd>
              <dt>Updated</dt>
              <dd>
                <Moment at={item.updated} />
              </dd>
            </dl>
          </Panel>
          <Panel title="Metadata">
            <Json of={item.metadata} />
          </Panel>
        </div>
        {mayAnalyse && (
          <Panel
            title="Latest decisions"
            actions={
              <Anchor component={Link} size="sm" href={`/decisions?contentId=${item.id}`}>
                All of them
              </Anchor>
            }
          >
            <Decisions omit="Item" query={{ contentId: item.id, limit: 8 }} />
          </Panel>
        )}
      </div>
    </>
  );
}

export function Total({ name, value, under }: { name: string; value: string; under?: string }) {
  return (
    <div className="total">
      <div className="name">{name}</div>
      <div className="value">{value}</div>
      {under !== undefined && <div className="than">{under}</div>}
    </div>
  );
}

function Actions({ item }: { item: Item }) {
  const [doing, setDoing] = useState<'edit' | 'delete'>();
  const write = useWrite();
  const [, go] = useLocation();
  const archived = item.status === 'archived';
  const path = { id: item.id };
  const turn = async () => {
    try {
      await write('PATCH /v1/content/{id}', { path, body: { status: archived ? 'active' : 'archived' } });
      told(archived ? 'The item is active again.' : 'The item is archived: nobody gets it.');
    } catch (error) {
      toldFailed(error);
    }
  };
  return (
    <>
      <MayButton permission="content:write" leftSection={<IconPencil size={16} />} onClick={() => setDoing('edit')}>
        Edit
      </MayButton>
      <MoreMenu
        of="this item"
        permission="content:write"
        actions={[
          {
            label: archived ? 'Make active again' : 'Archive',
            icon: archived ? <IconArchiveOff size={16} /> : <IconArchive size={16} />,
            onClick: turn,
          },
          { label: 'Delete…', icon: <IconTrash size={16} />, hurts: true, onClick: () => setDoing('delete') },
        ]}
      />
      {doing === 'edit' && (
        <Modal opened onClose={() => setDoing(undefined)} title="Edit the item" size="lg">
          <ItemForm
            editing
            action="Save"
            initial={{ ...item, tags: item.tags, metadata: JSON.stringify(item.metadata, null, 2) }}
            onCancel={() => setDoing(undefined)}
            onSubmit={async ({ title, source, policyId, tags, parsed }) => {
              await write('PATCH /v1/content/{id}', {
                path,
                body: { title, source, policyId, tags, metadata: parsed, metadataReplace: true },
              });
              told('Saved.');
              setDoing(undefined);
            }}
          />
        </Modal>
      )}
      {doing === 'delete' && (
        <Confirm
          title="Delete the item for good?"
          typed={item.externalId}
          action="Delete for good"
          onClose={() => setDoing(undefined)}
          onConfirm={async () => {
            await write('DELETE /v1/content/{id}', { path }, () => go('/content'));
            told(`${item.title} is deleted.`);
          }}
        >
          Its {countOf(item.stats?.totalRequests ?? 0)} decisions leave every report with it. This cannot be undone;
          archiving can.
        </Confirm>
      )}
    </>
  );
}
