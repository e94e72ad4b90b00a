/** All items: found by words, filters and pages, however many there are. */
import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFileText, IconPlus, IconSearch, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { Chip, Moment, Tags } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { useMay } from '../shell/session.tsx';
import { TYPES } from './types.ts';

const FILTERS = ['q', 'type', 'status', 'policyId', 'tag'] as const;

export default function ContentPage() {
  const { values } = useFilters();
  const [, go] = useLocation();
  const choices = usePolicyChoices();
  const mayWrite = useMay('content:write');
  const query = Object.fromEntries([...FILTERS, 'cursor'].map((name) => [name, values[name]]));
  const content = useRead('GET /v1/content', { query: { ...query, limit: 25 } }, { keep: true });
  const policyName = (id: string) => choices.find(({ value }) => value === id)?.label ?? id;
  return (
    <>
      <PageHead
        title="Content"
        lead="Every item you registered, the policy it is under, and how it is described."
        actions={
          <>
            <MayButton
              permission="content:write"
              leftSection={<IconPlus size={16} />}
              onClick={() => go('/content/new')}
            >
              Register an item
            </MayButton>
            <MayButton
              permission="content:write"
              variant="default"
              leftSection={<IconUpload size={16} />}
              onClick={() => go('/content/import')}
            >
              Import
            </MayButton>
          </>
        }
      />
      <FilterBar choices={choices} />
      <div className="panel">
        <PagedList
          caption="Content"
          of={content}
          noun={['item', 'items']}
          filtered={FILTERS.some((name) => values[name] !== undefined)}
          idOf={({ id }) => id}
          empty={
            <Empty
              icon={<IconFileText size={36} stroke={1.3} />}
              title="No content yet"
              action={
                mayWrite && (
                  <Button component={Link} href="/content/import">
                    Import from CSV or NDJSON
                  </Button>
                )
              }
            >
              Register one item, or bring your whole catalogue from a file.
            </Empty>
          }
          columns={[
            {
              label: 'Title',
              show: ({ id, title, externalId }) => (
                <>
                  <Link href={`/content/${id}`}>{title}</Link>
                  <span className="under">{externalId}</span>
                </>
              ),
            },
            { label: 'Type', narrow: true, show: ({ type }) => type },
            {
              label: 'Policy',
              show: ({ policyId }) => <Link href={`/policies/${policyId}`}>{policyName(policyId)}</Link>,
            },
            { label: 'Tags', show: ({ tags }) => <Tags of={tags.slice(0, 4)} /> },
            {
              label: 'Status',
              narrow: true,
              show: ({ status }) => <Chip tone={status === 'active' ? 'allowed' : undefined}>{status}</Chip>,
            },
            { label: 'Updated', narrow: true, show: ({ updated }) => <Moment at={updated} /> },
          ]}
        />
      </div>
    </>
  );
}

function FilterBar({ choices }: { choices: { value: string; label: string }[] }) {
  const { values, set } = useFilters();
  const [words, setWords] = useState(values.q ?? '');
  const search = useDebouncedCallback((q: string) => set({ q: /[\p{L}\p{N}]/u.test(q) ? q : null }), 250);
  return (
    <div className="filters" role="search">
      <TextInput
        className="grow"
        aria-label="Words of the title"
        placeholder="Words of the title"
        leftSection={<IconSearch size={16} />}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          search(event.currentTarget.value);
        }}
      />
      <Select
        aria-label="Type"
        placeholder="Type"
        data={[...TYPES]}
        value={values.type ?? null}
        onChange={(type) => set({ type })}
        clearable
        w={130}
      />
      <Select
        aria-label="Status"
        placeholder="Status"
        data={['active', 'archived']}
        value={values.status ?? null}
        onChange={(status) => set({ status })}
        clearable
        w={130}
      />
      <Select
        aria-label="Policy"
        placeholder="Policy"
        data={choices}
        value={values.policyId ?? null}
        onChange={(policyId) => set({ policyId })}
        clearable
        searchable
        w={210}
      />
      <TextInput
        aria-label="Tag"
        placeholder="Tag"
        w={130}
        defaultValue={values.tag ?? ''}
        onBlur={(event) => set({ tag: event.currentTarget.value })}
        onKeyDown={(event) => event.key === 'Enter' && set({ tag: event.currentTarget.value })}
      />
    </div>
  );
}
