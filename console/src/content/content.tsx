/** The list of items, with search, filters and pages. */
import { Button } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import { useCollectionChoices } from '../collections/names.tsx';
import { MayButton } from '../parts/act.tsx';
import { FilterChoice, FilterText, FilterWords, FoldedFilters } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconFileText, IconPlus, IconUpload } from '../parts/icons.ts';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Empty } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { useMay } from '../shell/session.tsx';
import { COLUMNS } from './columns.tsx';

const FILTERS = ['q', 'type', 'status', 'policyId', 'collectionId', 'tag'] as const;

export default function ContentPage() {
  const { values } = useFilters();
  return (
    <>
      <PageHead title="Content" lead="Every item, the policy that applies to it, and its tags." actions={<Buttons />} />
      <FilterBar />
      <div className="panel">
        <PagedList
          caption="Content"
          of="GET /v1/content"
          filter={Object.fromEntries(FILTERS.map((name) => [name, values[name]]))}
          noun={['item', 'items']}
          empty={<NoContent />}
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
      <MayButton permission="content:write" leftSection={<IconPlus size={16} />} onClick={() => go('/content/new')}>
        New item
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
  );
}

function NoContent() {
  const mayWrite = useMay('content:write');
  return (
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
      Add one item, or import your whole catalog from a file.
    </Empty>
  );
}

function FilterBar() {
  const choices = usePolicyChoices();
  const collections = useCollectionChoices();
  return (
    <FoldedFilters>
      <FilterWords label="Words of the title" />
      <FilterChoice name="type" label="Type" data={[...CONTENT_TYPES]} w={120} />
      <FilterChoice name="status" label="Status" data={['active', 'archived']} w={120} />
      <FilterChoice name="policyId" label="Policy" data={choices} searchable w={170} />
      <FilterChoice name="collectionId" label="Collection" data={collections} searchable w={170} />
      <FilterText name="tag" label="Tag" w={110} />
    </FoldedFilters>
  );
}
