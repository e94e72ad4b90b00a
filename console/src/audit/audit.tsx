/** The audit log: edits with author, time, address, and the record before and after. */
import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import type { Query } from '../api/client.ts';
import { FilterText, FoldedFilters } from '../parts/filter-fields.tsx';
import { FilterSpan, readSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconDownload, IconHistory } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { useSaving } from '../parts/save.ts';
import { Chip, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { type AuditEntry, Entry } from './entry.tsx';

type Filter = Query<'GET /v1/audit-log'>;

const FILTERS = ['object', 'actor'] as const;
const TARGETS = ['content', 'collection', 'policy', 'requester', 'license', 'user', 'api_key', 'webhook'];

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    label: 'Who',
    show: ({ actor }) => (actor.type === 'system' ? <Chip>the service</Chip> : (actor.name ?? actor.id ?? '–')),
  },
  { label: 'From', narrow: true, show: ({ address }) => address ?? '–' },
  { label: 'When', narrow: true, show: ({ created }) => <Time at={created} /> },
];

export default function AuditPage() {
  const { values } = useFilters();
  const [open, setOpen] = useState<AuditEntry>();
  const named = Object.fromEntries(FILTERS.map((name) => [name, values[name]]));
  const filter = { ...named, ...readSpan(values) } as Filter;
  return (
    <>
      <PageHead
        title="Audit log"
        lead="Who changed what, when and from where. Secrets are never in it."
        actions={<SaveButton filter={filter} />}
      />
      <FilterBar />
      <div className="panel">
        <PagedList
          caption="Changes"
          of="GET /v1/audit-log"
          filter={filter}
          noun={['change', 'changes']}
          empty={
            <Empty icon={<IconHistory size={36} stroke={1.3} />} title="No changes yet">
              Every edit of content, collections, policies, partners, licenses, keys and webhooks appears here, with who
              made it.
            </Empty>
          }
          columns={[{ label: 'What', show: (entry) => <OpenEntry entry={entry} onOpen={setOpen} /> }, ...COLUMNS]}
        />
      </div>
      {open !== undefined && <Entry entry={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function SaveButton({ filter }: { filter: Filter }) {
  const { saving, save } = useSaving();
  const start = () => save('audit-log.ndjson', 'GET /v1/audit-log', { query: filter }, 'application/x-ndjson');
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving} onClick={start}>
      NDJSON
    </Button>
  );
}

function FilterBar() {
  const { values, set } = useFilters();
  return (
    <FoldedFilters>
      <Select
        aria-label="Object"
        placeholder="Anything"
        data={TARGETS}
        value={TARGETS.includes(values.object ?? '') ? (values.object ?? null) : null}
        onChange={(object) => set({ object })}
        clearable
        w={150}
      />
      <FilterText name="object" label="Record id" w={260} shownElsewhere={TARGETS} />
      <FilterText name="actor" label="User or key id" w={240} />
      <FilterSpan />
    </FoldedFilters>
  );
}

interface OpenEntryProps {
  entry: AuditEntry;
  onOpen: (entry: AuditEntry) => void;
}

function OpenEntry({ entry, onOpen }: OpenEntryProps) {
  return (
    <>
      <button type="button" className="link" onClick={() => onOpen(entry)}>
        {entry.kind}
      </button>
      <span className="under">
        <code>{entry.target.id}</code>
      </span>
    </>
  );
}
