/** The statements of a period, each to save as CSV or as a page to print. */
import { ActionIcon, Button, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { formatMoney } from '../licenses/money.ts';
import { IconCertificate, IconChevronLeft, IconChevronRight, IconDownload } from '../parts/icons.ts';
import { List } from '../parts/list.tsx';
import { notifyFailure } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { saveBlob } from '../parts/save.ts';
import { Chip, formatCount } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { KINDS, type Kind, kindOf, periodAt, periodOf, periodWords, shifted } from '../statements/period.ts';
import { type License, useConnection, useOwn } from './api.ts';

const STATES = {
  running: { word: 'running', tone: undefined },
  open: { word: 'not final yet', tone: 'limited' },
  final: { word: 'final', tone: 'allowed' },
} as const;

export function Statements({ licenses, receipts }: { licenses: readonly License[]; receipts: boolean }) {
  const [period, setPeriod] = useState(() => periodAt(licenses.find(({ terms }) => terms)?.terms?.period ?? 'month'));
  const statements = useOwn('GET /v1/me/statements', { query: { period, limit: 100 } });
  return (
    <Panel
      title="Statements"
      lead="What you used under each license, and what it costs."
      actions={<PeriodChoice period={period} onChange={setPeriod} />}
    >
      <Loaded of={statements} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={`No statement for ${periodWords(period)}`}>
              Licenses with prices have one for each period. Choose another period above.
            </Empty>
          ) : (
            <div aria-busy={statements.isPlaceholderData}>
              <List
                caption="Statements"
                records={data}
                idOf={({ id }) => id}
                columns={[
                  { label: 'License', show: ({ terms, licenseId }) => terms.reference ?? licenseId },
                  { label: 'Units', right: true, show: ({ units }) => formatCount(units) },
                  { label: 'Requests', right: true, show: ({ decisions }) => formatCount(decisions) },
                  {
                    label: 'Amount',
                    right: true,
                    show: ({ total, terms }) => formatMoney(total.amount, terms.currency),
                  },
                  {
                    label: 'State',
                    narrow: true,
                    show: ({ status }) => <Chip tone={STATES[status].tone}>{STATES[status].word}</Chip>,
                  },
                  {
                    label: 'Save as',
                    narrow: true,
                    show: ({ id, terms, licenseId, status }) => (
                      <Downloads id={id} name={terms.reference ?? licenseId} receipt={receipts && status === 'final'} />
                    ),
                  },
                ]}
              />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

interface PeriodChoiceProps {
  period: string;
  onChange: (period: string) => void;
}

function PeriodChoice({ period, onChange }: PeriodChoiceProps) {
  const kind = kindOf(period);
  return (
    <div className="actions">
      <SegmentedControl
        aria-label="Length of the period"
        data={KINDS}
        value={kind}
        onChange={(chosen) => onChange(periodOf(chosen as Kind, period.length === 4 ? `${period}-01` : period))}
      />
      <Group gap={4} wrap="nowrap">
        <ActionIcon variant="default" size={34} aria-label="Earlier" onClick={() => onChange(shifted(period, -1))}>
          <IconChevronLeft size={16} />
        </ActionIcon>
        <span className="partner-period" aria-live="polite">
          {periodWords(period)}
        </span>
        <ActionIcon
          variant="default"
          size={34}
          aria-label="Later"
          disabled={period >= periodAt(kind)}
          onClick={() => onChange(shifted(period, 1))}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </Group>
    </div>
  );
}

/** The files come with the token in a header; a plain link could not send it. */
function Downloads({ id, name, receipt }: { id: string; name: string; receipt: boolean }) {
  const { open } = useConnection();
  const saveAs = (file: string, answer: Promise<Response>) =>
    void answer.then(async (one) => saveBlob(file, await one.blob())).catch(notifyFailure);
  const path = { id };
  return (
    <div className="partner-files">
      {[
        ['csv', 'text/csv'],
        ['html', 'text/html'],
      ].map(([ending = '', accept = '']) => (
        <Button
          key={ending}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          aria-label={`Save ${name} as ${ending.toUpperCase()}`}
          onClick={() => saveAs(`statement-${id}.${ending}`, open('GET /v1/me/statements/{id}', { path }, accept))}
        >
          {ending.toUpperCase()}
        </Button>
      ))}
      {receipt && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconCertificate size={14} />}
          aria-label={`Receipt of ${name}`}
          onClick={() => saveAs(`${id}.tlog-proof`, open('GET /v1/me/statements/{id}/proof', { path }, 'text/plain'))}
        >
          Receipt
        </Button>
      )}
    </div>
  );
}
