/** All licences, and those that end soon. */
import { Modal, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconCertificate, IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useRead } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { useFilters } from '../parts/filters.ts';
import { PagedList } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { Chip, dayOf, RequesterLink } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { LicenseActions } from './license-actions.tsx';
import { LicenseForm } from './license-form.tsx';
import { scopeWords, stateOf } from './types.ts';

const DAY_MS = 86_400_000;
const FILTERS = ['requesterId', 'type', 'status', 'ending'] as const;

export default function LicensesPage() {
  const { values, set } = useFilters();
  const soon = useMemo(() => endingIn(values.ending), [values.ending]);
  const query = Object.fromEntries(['requesterId', 'type', 'status', 'cursor'].map((name) => [name, values[name]]));
  const licenses = useRead('GET /v1/licenses', { query: { ...query, ...soon, limit: 25 } }, { keep: true });
  const close = () => set({ new: null });
  return (
    <>
      <PageHead
        title="Licences"
        lead="Who holds what, for which content, until when."
        actions={
          <MayButton permission="policies:write" leftSection={<IconPlus size={16} />} onClick={() => set({ new: '1' })}>
            Give a licence
          </MayButton>
        }
      />
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
        <TextInput
          key={values.requesterId ?? ''}
          aria-label="Requester"
          placeholder="Requester"
          w={180}
          defaultValue={values.requesterId ?? ''}
          onBlur={(event) =>
            event.currentTarget.value !== (values.requesterId ?? '') &&
            set({ requesterId: event.currentTarget.value.trim() })
          }
          onKeyDown={(event) => event.key === 'Enter' && set({ requesterId: event.currentTarget.value.trim() })}
        />
        <Select
          aria-label="Status"
          placeholder="Status"
          data={['active', 'suspended', 'revoked']}
          value={values.status ?? null}
          onChange={(status) => set({ status })}
          clearable
          w={140}
        />
      </div>
      <div className="panel">
        <PagedList
          caption="Licences"
          of={licenses}
          noun={['licence', 'licences']}
          filtered={FILTERS.some((name) => values[name] !== undefined)}
          idOf={({ id }) => id}
          empty={
            <Empty icon={<IconCertificate size={36} stroke={1.3} />} title="No licences yet">
              A licence makes rules that ask for one let its holder pass. Register a requester first, then give it one.
            </Empty>
          }
          columns={[
            { label: 'Requester', show: ({ requesterId }) => <RequesterLink id={requesterId} /> },
            {
              label: 'Type',
              show: ({ type, features }) => (
                <div>
                  {type}
                  {features.length > 0 && <span className="under">{features.join(', ')}</span>}
                </div>
              ),
            },
            { label: 'For', show: ({ scope }) => scopeWords(scope) },
            { label: 'From', narrow: true, show: ({ startsAt, created }) => dayOf(startsAt ?? created) },
            {
              label: 'Until',
              narrow: true,
              show: ({ expiresAt }) => (expiresAt === null ? 'no end' : dayOf(expiresAt)),
            },
            {
              label: 'State',
              narrow: true,
              show: (license) => {
                const { word, tone } = stateOf(license);
                return <Chip tone={tone}>{word}</Chip>;
              },
            },
            { label: '', narrow: true, show: (license) => <LicenseActions license={license} /> },
          ]}
        />
      </div>
      {values.new !== undefined && (
        <Modal opened onClose={close} title="Give a licence">
          <LicenseForm requesterId={values.requesterId ?? ''} onDone={close} onCancel={close} />
        </Modal>
      )}
    </>
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
