/** The decision log: every recorded decision, with filters and export. */
import { Button, Menu } from '@mantine/core';
import { Link } from 'wouter';
import { useCollectionChoices } from '../collections/names.tsx';
import { FilterChoice, FilterEither, FilterText, FoldedFilters } from '../parts/filter-fields.tsx';
import { FilterSpan, readSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconDownload, IconListSearch } from '../parts/icons.ts';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { useSaving } from '../parts/save.ts';
import { REASONS } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { PartnerChoice } from '../requesters/partner-choice.tsx';
import { DECISION_COLUMNS } from './table.tsx';

const FILTERS = [
  'requesterId',
  'contentId',
  'policyId',
  'licenseId',
  'collectionId',
  'crawler',
  'program',
  'purpose',
  'url',
  'page',
  'pagePrefix',
  'enforced',
  'verified',
  'spoofed',
  'robots',
  'allowed',
  'reason',
] as const;

/** The API counts what it compares with robots.txt, not what it finds. */
const COMPARED: [string, string] = ['access of a crawler compared', 'accesses of crawlers compared'];

export default function DecisionsPage() {
  const { values } = useFilters();
  const span = readSpan(values);
  const filter = { ...Object.fromEntries(FILTERS.map((name) => [name, values[name]])), ...span };
  return (
    <>
      <PageHead
        title="Decisions"
        lead="Every recorded decision: the requester, the content, and why it was allowed or denied."
        actions={<Export filter={filter} />}
      />
      <FilterBar />
      <div className="panel">
        <PagedList
          caption="Decisions"
          of="GET /v1/access/decisions"
          filter={filter}
          query={{ expand: 'names' }}
          noun={values.robots === undefined ? ['decision', 'decisions'] : COMPARED}
          columns={DECISION_COLUMNS}
          empty={
            <Empty
              icon={<IconListSearch size={36} stroke={1.3} />}
              title="No decisions yet"
              action={
                <Button component={Link} href="/policies" variant="default">
                  Try a policy
                </Button>
              }
            >
              Each check your server makes appears here, with its reason. Until it asks, see what a policy would answer.
            </Empty>
          }
        />
      </div>
    </>
  );
}

/** Applied on blur or Enter, not on each keystroke. */
function FilterBar() {
  const choices = usePolicyChoices();
  const { values, set } = useFilters();
  return (
    <FoldedFilters>
      <FilterSpan />
      <PartnerChoice
        label="Partner or bot"
        bare
        placeholder="Partner or bot"
        anyId
        w={190}
        value={values.requesterId ?? ''}
        onChange={(requesterId) => set({ requesterId })}
      />
      <FilterText name="contentId" label="Item id" w={170} />
      <FilterText name="pagePrefix" label="Pages below, such as www.example.com/news" w={230} />
      <FilterEither name="allowed" label="Outcome" yes="Allowed" no="Denied" w={130} />
      <FilterChoice
        name="reason"
        label="Reason"
        data={Object.entries(REASONS).map(([value, label]) => ({ value, label }))}
        w={190}
      />
      <FilterEither name="verified" label="Proof" yes="Verified" no="Not verified" w={140} />
      <FilterChoice name="spoofed" label="Any name" data={[{ value: 'true', label: 'False names' }]} w={140} />
      <FilterChoice name="policyId" label="Policy" data={choices} searchable w={200} />
      <RareFilters />
    </FoldedFilters>
  );
}

const ROBOTS = [
  { value: 'any', label: 'Broke robots.txt' },
  { value: 'broken', label: 'Broke every copy of the day' },
  { value: 'within_24h', label: 'Allowed by an older copy, or none' },
];

/** Filters that other pages set; each is shown while it is set. */
function RareFilters() {
  const { values } = useFilters();
  const collections = useCollectionChoices(values.collectionId !== undefined);
  return (
    <>
      {values.enforced !== undefined && (
        <FilterEither name="enforced" label="Enforced" yes="Enforced" no="Only observed" w={150} />
      )}
      {values.collectionId !== undefined && (
        <FilterChoice name="collectionId" label="Collection" data={collections} searchable w={190} />
      )}
      {values.robots !== undefined && <FilterChoice name="robots" label="robots.txt" data={ROBOTS} w={220} />}
      {values.purpose !== undefined && <FilterText name="purpose" label="Purpose" w={150} />}
      {values.page !== undefined && <FilterText name="page" label="Page" w={240} />}
      {values.url !== undefined && <FilterText name="url" label="URL begins with" w={220} />}
      {values.crawler !== undefined && <FilterText name="crawler" label="Crawler" w={190} />}
      {values.program !== undefined && <FilterText name="program" label="Program" w={190} />}
      {values.licenseId !== undefined && <FilterText name="licenseId" label="License id" w={190} />}
    </>
  );
}

function Export({ filter }: { filter: object }) {
  const { saving, save } = useSaving();
  const start = (name: string, accept: string) =>
    save(name, 'GET /v1/access/decisions', { query: { ...filter, expand: 'names' } }, accept);
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>The whole selection</Menu.Label>
        <Menu.Item onClick={() => start('decisions.csv', 'text/csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => start('decisions.ndjson', 'application/x-ndjson')}>NDJSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
