/** All items: found by words, filters and pages, however many there are. */
import { Button } from '@mantine/core';
import { IconFileText, IconPlus, IconUpload } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { FilterChoice, FilterText, FilterWords } from '../parts/filter-fields.tsx';
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
  return (
    <div className="filters" role="search">
      <FilterWords label="Words of the title" />
      <FilterChoice name="type" label="Type" data={[...TYPES]} w={130} />
      <FilterChoice name="status" label="Status" data={['active', 'archived']} w={130} />
      <FilterChoice name="policyId" label="Policy" data={choices} searchable w={210} />
      <FilterText name="tag" label="Tag" w={130} />
    </div>
  );
}
