/** Denials that a license would have turned, in groups that one chooses. A salesperson works from this list. */
import { Anchor, Button } from '@mantine/core';
import { Link } from 'wouter';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import { useCollectionChoices } from '../collections/names.tsx';
import { dayAt, ZONE } from '../parts/days.ts';
import { FilterChoice, FilterText, FilterWords, FoldedFilters } from '../parts/filter-fields.tsx';
import { FilterSpan, readSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconDownload, IconTargetArrow } from '../parts/icons.ts';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { useSaving } from '../parts/save.ts';
import { REASONS } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useRequiredLicenses } from '../policies/use-required-licenses.ts';
import { useMayInSecret } from '../shell/session.tsx';
import { toColumns } from './columns.tsx';
import { GroupChoice, readGroups, rowKey } from './groups.tsx';

const FILTERS = [
  'q',
  'reason',
  'purpose',
  'licenseType',
  'collectionId',
  'crawler',
  'type',
  'requesterId',
  'contentId',
] as const;

export default function DemandPage() {
  const { values } = useFilters();
  const maySeePrices = useMayInSecret('requesters:read');
  const groups = readGroups(values.by);
  const filter = { ...Object.fromEntries(FILTERS.map((name) => [name, values[name]])), ...readSpan(values) };
  const query = { groupBy: groups.join(',') };
  const { sort, order } = values;
  return (
    <>
      <PageHead
        title="Demand"
        lead="Denied for want of a license: who, what for, and what a license would bring."
        actions={<Export query={{ ...filter, ...query, sort, order }} />}
      />
      <FilterBar />
      <GroupChoice />
      <div className="panel demand-list">
        <PagedList
          caption="Demand"
          of="GET /v1/analytics/demand"
          filter={filter}
          query={query}
          noun={['row', 'rows']}
          idOf={rowKey}
          empty={<NoDemand />}
          sortedBy="denied"
          bothWays
          columns={toColumns(groups, { values, maySeePrices })}
        />
      </div>
      {maySeePrices && (
        <p className="soft small">
          “At our prices” counts the denied requests at the terms of the partner’s own license of that kind, or else at
          the{' '}
          <Anchor component={Link} href="/offers" size="sm" underline="always">
            price list
          </Anchor>
          . Without a price there, the terms of your newest valid license of that kind count. Minimum and flat fee are
          left out. Spans begin and end in {ZONE}.
        </p>
      )}
    </>
  );
}

function FilterBar() {
  const { values } = useFilters();
  const kinds = useRequiredLicenses()?.kinds ?? [];
  const collections = useCollectionChoices();
  return (
    <FoldedFilters>
      <FilterWords label="Name or id" />
      <FilterSpan otherwise="Last 30 days" />
      <FilterText name="purpose" label="Purpose" w={140} />
      <FilterChoice name="licenseType" label="Kind of license" data={kinds} w={160} searchable />
      {collections.length > 0 && (
        <FilterChoice name="collectionId" label="Collection" data={collections} w={180} searchable />
      )}
      <FilterChoice
        name="reason"
        label="Reason"
        data={['no_license', 'license_expired'].map((value) => ({ value, label: REASONS[value] ?? value }))}
        w={160}
      />
      <FilterChoice name="type" label="Type of content" data={[...CONTENT_TYPES]} w={160} />
      {values.crawler !== undefined && <FilterText name="crawler" label="Crawler" w={160} />}
    </FoldedFilters>
  );
}

function Export({ query }: { query: object }) {
  const { saving, save } = useSaving();
  const start = () => save(`demand-${dayAt(Date.now())}.csv`, 'GET /v1/analytics/demand', { query }, 'text/csv');
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving} onClick={start}>
      CSV
    </Button>
  );
}

const NoDemand = () => (
  <Empty
    icon={<IconTargetArrow size={36} stroke={1.3} />}
    title="No denials for want of a license"
    action={
      <Button component={Link} href="/policies" variant="default">
        Look at the policies
      </Button>
    }
  >
    Where a policy allows only with a license, those without one appear here: who they are, and what they wanted.
  </Empty>
);
