/** The list of collections. */
import { Button } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { Row } from '../api/client.ts';
import { MayButton } from '../parts/act.tsx';
import { FilterChoice, FilterWords } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconFolders, IconPlus, IconRoute } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { PolicyLink } from '../policies/policy-link.tsx';
import { Values } from './selectors.tsx';

const SOME = 3;

const COLUMNS: readonly Column<Row<'GET /v1/collections'>>[] = [
  {
    label: 'Name',
    show: ({ id, name, description, mode }) => (
      <>
        <Link href={`/collections/${id}`}>{name}</Link> {mode === 'observe' && <Chip tone="limited">observed</Chip>}
        {description !== null && <span className="under two-lines">{description}</span>}
      </>
    ),
  },
  { label: 'Hosts', show: ({ hosts }) => <Values of={hosts} some={SOME} /> },
  { label: 'Paths', show: ({ paths }) => <Values of={paths} some={SOME} /> },
  {
    label: 'Items only',
    show: ({ contentTypes, contentTags }) => {
      const kinds = [...new Set<string>([...contentTypes, ...contentTags])];
      return kinds.length === 0 ? <span className="soft">–</span> : <Values of={kinds} some={SOME} />;
    },
  },
  {
    label: 'Policy',
    show: ({ policyId }) =>
      policyId === null ? <span className="soft">the default policy</span> : <PolicyLink id={policyId} />,
  },
  { label: 'Updated', narrow: true, show: ({ updated }) => <Time at={updated} /> },
];

export default function CollectionsPage() {
  const { values } = useFilters();
  const { q, policyId } = values;
  return (
    <>
      <PageHead
        title="Collections"
        lead="A policy for everything at some addresses, or of some kind. The most specific collection counts."
        actions={<Buttons />}
      />
      <FilterBar />
      <div className="panel">
        <PagedList
          caption="Collections"
          of="GET /v1/collections"
          filter={{ q, policyId }}
          noun={['collection', 'collections']}
          empty={<NoCollections />}
          columns={COLUMNS}
        />
      </div>
    </>
  );
}

function Buttons() {
  const [, go] = useLocation();
  return (
    <>
      <MayButton permission="content:write" leftSection={<IconPlus size={16} />} onClick={() => go('/collections/new')}>
        New collection
      </MayButton>
      <Button component={Link} href="/collections/match" variant="default" leftSection={<IconRoute size={16} />}>
        Test an address
      </Button>
    </>
  );
}

function FilterBar() {
  const choices = usePolicyChoices();
  return (
    <div className="filters" role="search">
      <FilterWords label="Words of the name" />
      <FilterChoice name="policyId" label="Policy" data={choices} searchable w={210} />
    </div>
  );
}

function NoCollections() {
  const [, go] = useLocation();
  return (
    <Empty
      icon={<IconFolders size={36} stroke={1.3} />}
      title="No collections yet"
      action={
        <MayButton permission="content:write" onClick={() => go('/collections/new?path=/')}>
          Create one for the whole site
        </MayButton>
      }
    >
      Name hosts and paths, such as <code>www.example.com</code> and <code>/premium/</code>, and give them a policy.
    </Empty>
  );
}
