/** Who changed what, when, from where, before and after. */
import { Button, Select } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { Query, Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { FilterText } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { toldFailed } from '../parts/notices.tsx';
import { PageHead } from '../parts/page.tsx';
import { saveAnswer } from '../parts/save.ts';
import { Chip, Moment } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { Entry } from './entry.tsx';

export type AuditEntry = Row<'GET /v1/audit-log'>;

const FILTERS = ['object', 'actor', 'from', 'to'] as const;
const TARGETS = ['content', 'policy', 'requester', 'license', 'api_key', 'webhook'];

export default function AuditPage() {
  const { values, set } = useFilters();
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState<AuditEntry>();
  const filter = Object.fromEntries(FILTERS.map((name) => [name, values[name]])) as Query<'GET /v1/audit-log'>;
  const entries = useRead(
    'GET /v1/audit-log',
    { query: { ...filter, limit: 25, ...(values.cursor === undefined ? {} : { cursor: values.cursor }) } },
    { keep: true },
  );
  const save = async () => {
    setBusy(true);
    await saveAnswer('audit-log.ndjson', 'GET /v1/audit-log', { query: filter }, 'application/x-ndjson').catch(
      toldFailed,
    );
    setBusy(false);
  };
  return (
    <>
      <PageHead
        title="Audit log"
        lead="Who changed what, when and from where. Secrets are never in it."
        actions={
          <Button variant="default" leftSection={<IconDownload size={16} />} loading={busy} onClick={save}>
            NDJSON
          </Button>
        }
      />
      <div className="filters" role="search">
        <Select
          aria-label="What"
          placeholder="Anything"
          data={TARGETS}
          value={TARGETS.includes(values.object ?? '') ? (values.object ?? null) : null}
          onChange={(object) => set({ object })}
          clearable
          w={150}
        />
        <FilterText name="object" label="Id of a record" w={260} shownElsewhere={TARGETS} />
        <FilterText name="actor" label="Id of a key" w={240} />
        <FilterText name="from" label="From" type="date" w={190} />
        <FilterText name="to" label="To" type="date" w={190} />
      </div>
      <div className="panel">
        <PagedList<AuditEntry>
          caption="Changes"
          of={entries}
          noun={['change', 'changes']}
          filtered={FILTERS.some((name) => values[name] !== undefined)}
          idOf={({ id }) => id}
          empty={<Empty icon={<IconHistory size={36} stroke={1.3} />} title="Nothing was changed yet" />}
          columns={[
            {
              label: 'What',
              show: (entry) => (
                <>
                  <button type="button" className="link" onClick={() => setOpen(entry)}>
                    {entry.kind}
                  </button>
                  <span className="under">
                    <code>{entry.target.id}</code>
                  </span>
                </>
              ),
            },
            {
              label: 'Who',
              show: ({ actor }) =>
                actor.type === 'system' ? <Chip>the service</Chip> : (actor.name ?? actor.id ?? '–'),
            },
            { label: 'From', narrow: true, show: ({ address }) => address ?? '–' },
            { label: 'When', narrow: true, show: ({ created }) => <Moment at={created} /> },
          ]}
        />
      </div>
      {open !== undefined && <Entry entry={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}
