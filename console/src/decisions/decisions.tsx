/** The decision log: every decision that was recorded, filtered, and taken away as a file. */
import { Button, Menu } from '@mantine/core';
import { IconDownload, IconListSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useRead } from '../api/read.ts';
import { FilterChoice, FilterText } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { toldFailed } from '../parts/notices.tsx';
import { PageHead } from '../parts/page.tsx';
import { saveAnswer } from '../parts/save.ts';
import { REASONS } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { DECISION_COLUMNS, type Decision } from './table.tsx';

const FILTERS = ['requesterId', 'contentId', 'policyId', 'allowed', 'reason', 'from', 'to'] as const;

export default function DecisionsPage() {
  const { values } = useFilters();
  const filter = Object.fromEntries(FILTERS.map((name) => [name, values[name]])) as object;
  const decisions = useRead(
    'GET /v1/access/decisions',
    { query: { ...filter, limit: 25, ...(values.cursor === undefined ? {} : { cursor: values.cursor }) } },
    { keep: true },
  );
  return (
    <>
      <PageHead
        title="Decisions"
        lead="Every decision that was recorded, with the policy version that made it and why."
        actions={<Export filter={filter} />}
      />
      <FilterBar />
      <div className="panel">
        <PagedList<Decision>
          caption="Decisions"
          of={decisions as never}
          noun={['decision', 'decisions']}
          filtered={FILTERS.some((name) => values[name] !== undefined)}
          idOf={({ id }) => id ?? ''}
          columns={DECISION_COLUMNS}
          empty={
            <Empty icon={<IconListSearch size={36} stroke={1.3} />} title="No decisions yet">
              Each check your server makes with <code>POST /v1/access/check</code> appears here, with its reason.
            </Empty>
          }
        />
      </div>
    </>
  );
}

/** Given when the field is left or Enter is pressed: not every letter is a question. */
function FilterBar() {
  const choices = usePolicyChoices();
  return (
    <div className="filters" role="search">
      <FilterText name="requesterId" label="Requester" w={170} />
      <FilterText name="contentId" label="Item (id or external id)" w={200} />
      <FilterChoice
        name="allowed"
        label="Outcome"
        data={[
          { value: 'true', label: 'Allowed' },
          { value: 'false', label: 'Denied' },
        ]}
        w={130}
      />
      <FilterChoice
        name="reason"
        label="Reason"
        data={Object.entries(REASONS).map(([value, label]) => ({ value, label }))}
        w={190}
      />
      <FilterChoice name="policyId" label="Policy" data={choices} searchable w={200} />
      <FilterText name="from" label="From" type="date" w={190} />
      <FilterText name="to" label="To" type="date" w={190} />
    </div>
  );
}

function Export({ filter }: { filter: object }) {
  const [busy, setBusy] = useState(false);
  const save = async (name: string, accept: string) => {
    setBusy(true);
    await saveAnswer(name, 'GET /v1/access/decisions', { query: filter }, accept).catch(toldFailed);
    setBusy(false);
  };
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />} loading={busy}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>The whole selection</Menu.Label>
        <Menu.Item onClick={() => void save('decisions.csv', 'text/csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => void save('decisions.ndjson', 'application/x-ndjson')}>NDJSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
