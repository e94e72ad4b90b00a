/** All requesters that were registered. */
import { Modal, TextInput } from '@mantine/core';
import { IconPlus, IconUsers } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { FilterChoice, FilterWords } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { Chip, Moment, RequesterLink, Tags } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { RequesterForm } from './requester-form.tsx';

const FILTERS = ['q', 'type', 'tag', 'status'] as const;

export default function RequestersPage() {
  const { values, set } = useFilters();
  const [, go] = useLocation();
  const query = Object.fromEntries([...FILTERS, 'cursor'].map((name) => [name, values[name]]));
  const requesters = useRead('GET /v1/requesters', { query: { ...query, limit: 25 } }, { keep: true });
  return (
    <>
      <PageHead
        title="Requesters"
        lead="Who asks, as far as you registered them. Anybody else is counted under the id your server sends."
        actions={
          <MayButton permission="policies:write" leftSection={<IconPlus size={16} />} onClick={() => set({ new: '1' })}>
            Register a requester
          </MayButton>
        }
      />
      <div className="filters" role="search">
        <FilterWords label="Words of the name" />
        <FilterChoice name="status" label="Status" data={['active', 'suspended']} w={140} />
        <GoTo onGo={(id) => go(`/requesters/${encodeURIComponent(id)}`)} />
      </div>
      <div className="panel">
        <PagedList
          caption="Requesters"
          of={requesters}
          noun={['requester', 'requesters']}
          filtered={FILTERS.some((name) => values[name] !== undefined)}
          idOf={({ id }) => id}
          empty={
            <Empty icon={<IconUsers size={36} stroke={1.3} />} title="Nobody is registered">
              You need not register anybody to see who asks. Register a requester to name it, to tag it for your rules,
              or to give it a licence.
            </Empty>
          }
          columns={[
            {
              label: 'Name',
              show: ({ id, name }) => (
                <>
                  <RequesterLink id={id} name={name} />
                  {name !== id && <span className="under">{id}</span>}
                </>
              ),
            },
            { label: 'Type', show: ({ type }) => type ?? <span className="soft">–</span> },
            { label: 'Tags', show: ({ tags }) => <Tags of={tags} /> },
            {
              label: 'Status',
              narrow: true,
              show: ({ status }) => <Chip tone={status === 'active' ? 'allowed' : 'denied'}>{status}</Chip>,
            },
            { label: 'Updated', narrow: true, show: ({ updated }) => <Moment at={updated} /> },
            {
              label: '',
              narrow: true,
              show: ({ id, name }) => (
                <Link href={`/licenses?requesterId=${encodeURIComponent(id)}`} aria-label={`Licences of ${name}`}>
                  Licences
                </Link>
              ),
            },
          ]}
        />
      </div>
      {values.new !== undefined && (
        <Modal opened onClose={() => set({ new: null })} title="Register a requester">
          <RequesterForm
            onDone={(id) => go(`/requesters/${encodeURIComponent(id)}`)}
            onCancel={() => set({ new: null })}
          />
        </Modal>
      )}
    </>
  );
}

/** One that is not registered has a page as well. */
function GoTo({ onGo }: { onGo: (id: string) => void }) {
  return (
    <TextInput
      aria-label="Open by id"
      placeholder="Open by id, then Enter"
      w={210}
      onKeyDown={(event) => {
        const id = event.currentTarget.value.trim();
        if (event.key === 'Enter' && id !== '') onGo(id);
      }}
    />
  );
}
