/** Partners and bots: every requester that was seen or added. */

import { Link, useLocation } from 'wouter';
import type { Row } from '../api/client.ts';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FilterChoice, FilterEither, FilterWords } from '../parts/filter-fields.tsx';
import { FilterSpan, readSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconFileUpload, IconPlus, IconUsers } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { VerifiedShare } from '../parts/proof.tsx';
import { Chip, formatCount, isErased, RequesterLink, Tags, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useMay, useMayInSecret } from '../shell/session.tsx';
import { ImportRequesters } from './import.tsx';
import { RequesterForm } from './requester-form.tsx';
import type { Requester } from './types.ts';

type Seen = Row<'GET /v1/analytics/requesters'>;

export default function RequestersPage() {
  const { values, set } = useFilters();
  const [, go] = useLocation();
  const mayCount = useMayInSecret('analytics:read');
  // `new` is 1, or the id of a seen requester to add.
  const adding = values.new === '1' ? undefined : values.new;
  return (
    <>
      <PageHead
        title="Partners & bots"
        lead="The parties that ask for your content. Add those that your rules and licenses name; others are counted too."
        actions={
          <>
            <MayButton
              permission="requesters:write"
              variant="default"
              leftSection={<IconFileUpload size={16} />}
              onClick={() => set({ import: '1' })}
            >
              Import
            </MayButton>
            <MayButton
              permission="requesters:write"
              leftSection={<IconPlus size={16} />}
              onClick={() => set({ new: '1' })}
            >
              Add a partner or bot
            </MayButton>
          </>
        }
      />
      {mayCount ? <Everybody /> : <Listed />}
      {values.import !== undefined && (
        <Dialog onClose={() => set({ import: null })} title="Import partners and bots" size="lg">
          <ImportRequesters onDone={() => set({ import: null })} onCancel={() => set({ import: null })} />
        </Dialog>
      )}
      {values.new !== undefined && (
        <Dialog onClose={() => set({ new: null })} title="Add a partner or bot">
          <RequesterForm
            {...(adding === undefined ? {} : { id: adding })}
            onDone={(id) => go(`/requesters/${encodeURIComponent(id)}`)}
            onCancel={() => set({ new: null })}
          />
        </Dialog>
      )}
    </>
  );
}

function Everybody() {
  const { values } = useFilters();
  const mayReadRecords = useMay('policies:read');
  const { q, registered, status } = values;
  return (
    <>
      <div className="filters" role="search">
        <FilterWords label="Name or id" />
        <FilterSpan />
        <FilterEither name="registered" label="Everybody" yes="In your list" no="Not in your list" w={170} />
        {mayReadRecords && <FilterChoice name="status" label="Status" data={['active', 'suspended']} w={140} />}
      </div>
      <div className="panel">
        <PagedList
          caption="Partners and bots"
          of="GET /v1/analytics/requesters"
          filter={{ q, registered, status, ...readSpan(values) }}
          noun={['partner or bot', 'partners and bots']}
          empty={<Nobody />}
          sortedBy="requests"
          columns={SEEN_COLUMNS}
        />
      </div>
    </>
  );
}

const Name = ({ id, name }: { id: string; name: string }) => (
  <>
    <RequesterLink id={id} name={name} />
    {name !== id && <span className="under">{id}</span>}
  </>
);

const Status = ({ status, type }: { status: string; type: string | null }) => (
  <>
    <Chip tone={status === 'active' ? 'allowed' : 'denied'}>{status}</Chip>
    {type !== null && <span className="under">{type}</span>}
  </>
);

const Licenses = ({ id, name }: { id: string; name: string }) => (
  <Link href={`/licenses?requesterId=${encodeURIComponent(id)}`} aria-label={`Licenses of ${name}`}>
    Licenses
  </Link>
);

const SEEN_COLUMNS: readonly Column<Seen>[] = [
  { label: 'Name', show: Name },
  { label: 'Requests', right: true, narrow: true, sort: 'requests', show: ({ requests }) => formatCount(requests) },
  {
    label: 'Denied',
    right: true,
    narrow: true,
    sort: 'denied',
    show: ({ id, denied }) =>
      denied === 0 ? (
        '0'
      ) : (
        <Link href={`/decisions?requesterId=${encodeURIComponent(id)}&allowed=false`}>{formatCount(denied)}</Link>
      ),
  },
  { label: 'Who it is', narrow: true, show: VerifiedShare },
  {
    label: 'Last seen',
    narrow: true,
    sort: 'lastSeen',
    show: ({ lastSeen }) => <Time at={lastSeen} absent="never" />,
  },
  {
    label: 'Status',
    narrow: true,
    show: ({ id, status, type }) =>
      status === null ? (
        <span className="soft">{isErased(id) ? 'erased' : 'not in your list'}</span>
      ) : (
        <Status status={status} type={type} />
      ),
  },
  {
    label: '',
    narrow: true,
    show: ({ id, name, registered }) =>
      registered ? (
        <Licenses id={id} name={name} />
      ) : isErased(id) ? null : (
        <Link href={`/requesters?new=${encodeURIComponent(id)}`} aria-label={`Add ${id}`}>
          Add
        </Link>
      ),
  },
];

/** The registered requesters only, for those who may not read whose requests there were. */
function Listed() {
  const { values } = useFilters();
  const { q, status } = values;
  return (
    <>
      <div className="filters" role="search">
        <FilterWords label="Words of the name" />
        <FilterChoice name="status" label="Status" data={['active', 'suspended']} w={140} />
      </div>
      <div className="panel">
        <PagedList
          caption="Partners and bots"
          of="GET /v1/requesters"
          filter={{ q, status }}
          noun={['partner or bot', 'partners and bots']}
          empty={<Nobody />}
          columns={LISTED_COLUMNS}
        />
      </div>
    </>
  );
}

const LISTED_COLUMNS: readonly Column<Requester>[] = [
  { label: 'Name', show: Name },
  { label: 'Tags', show: ({ tags }) => <Tags of={tags} /> },
  { label: 'Status', narrow: true, show: Status },
  { label: 'Updated', narrow: true, show: ({ updated }) => <Time at={updated} /> },
  { label: '', narrow: true, show: Licenses },
];

function Nobody() {
  const { set } = useFilters();
  return (
    <Empty
      icon={<IconUsers size={36} stroke={1.3} />}
      title="No requests yet"
      action={
        <MayButton permission="requesters:write" onClick={() => set({ new: '1' })}>
          Add a partner or bot
        </MayButton>
      }
    >
      Partners and bots that ask for your content appear here automatically. Add a partner now to license it before its
      first request.
    </Empty>
  );
}
