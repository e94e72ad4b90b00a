/** The list of licenses, with those that end soon. */
import { SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FilterChoice } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconCertificate, IconPlus } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, formatDay } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { PartnerChoice } from '../requesters/partner-choice.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';
import { LicenseActions } from './license-actions.tsx';
import { LicenseForm } from './license-form.tsx';
import './licenses.css';
import { coverWords, getState, type License, lastDayWords } from '../requesters/types.ts';

const DAY_MS = 86_400_000;

const COLUMNS: readonly Column<License>[] = [
  {
    label: 'Partner',
    show: ({ requesterId }) => (
      <div className="word">
        <PartnerName id={requesterId} />
      </div>
    ),
  },
  {
    label: 'Kind',
    show: ({ id, type, features, terms }) => (
      <div className="word">
        <Link href={`/licenses/${id}`}>{type}</Link>
        {terms?.reference !== undefined && <span className="under">{terms.reference}</span>}
        {features.length > 0 && <span className="under">{features.join(', ')}</span>}
      </div>
    ),
  },
  { label: 'For', show: (license) => <div className="word">{coverWords(license)}</div> },
  {
    label: 'First – last day',
    narrow: true,
    show: ({ startsAt, created, expiresAt }) => (
      <>
        {formatDay(startsAt ?? created)} –
        <br />
        {expiresAt === null ? 'no end' : lastDayWords(expiresAt)}
      </>
    ),
  },
  {
    label: 'State',
    narrow: true,
    show: (license) => {
      const { word, tone } = getState(license);
      return <Chip tone={tone}>{word}</Chip>;
    },
  },
  { label: '', narrow: true, show: (license) => <LicenseActions license={license} /> },
];

export default function LicensesPage() {
  const { values, set } = useFilters();
  const soon = useMemo(() => endingIn(values.ending), [values.ending]);
  const { requesterId, type, status } = values;
  const close = () => set({ new: null, kind: null });
  const create = (
    <MayButton permission="requesters:write" leftSection={<IconPlus size={16} />} onClick={() => set({ new: '1' })}>
      New license
    </MayButton>
  );
  return (
    <>
      <PageHead title="Licenses" lead="Who holds what, and until when." actions={create} />
      <FilterBar />
      <div className="panel">
        <PagedList
          caption="Licenses"
          of="GET /v1/licenses"
          filter={{ requesterId, type, status, ...soon }}
          noun={['license', 'licenses']}
          empty={
            <Empty icon={<IconCertificate size={36} stroke={1.3} />} title="No licenses yet" action={create}>
              A license lets its holder pass the rules that ask for one. Add the partner first, then create its license.
            </Empty>
          }
          columns={COLUMNS}
        />
      </div>
      {values.new !== undefined && (
        <Dialog onClose={close} title="New license" size="64rem">
          <LicenseForm
            proposed={values.requesterId ?? ''}
            initial={values.kind === undefined ? {} : { kind: values.kind }}
            onDone={close}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}

function FilterBar() {
  const { values, set } = useFilters();
  return (
    <div className="filters" role="search">
      <SegmentedControl
        aria-label="Ending"
        data={[
          { value: '', label: 'All' },
          { value: '30', label: 'Ending in 30 days' },
          { value: '90', label: 'in 90 days' },
          { value: 'past', label: 'Ended' },
        ]}
        value={values.ending ?? ''}
        onChange={(ending) => set({ ending })}
      />
      <PartnerChoice
        label="Partner or bot"
        bare
        placeholder="Partner or bot"
        w={220}
        value={values.requesterId ?? ''}
        onChange={(requesterId) => set({ requesterId })}
      />
      <FilterChoice name="status" label="Status" data={['active', 'suspended', 'revoked']} w={140} />
    </div>
  );
}

function endingIn(ending: string | undefined): { expiresAfter?: string; expiresBefore?: string } {
  if (ending === undefined) return {};
  const now = new Date();
  if (ending === 'past') return { expiresBefore: now.toISOString() };
  return {
    expiresAfter: now.toISOString(),
    expiresBefore: new Date(now.getTime() + Number(ending) * DAY_MS).toISOString(),
  };
}
