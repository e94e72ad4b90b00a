/** The status of the service: version, storage, lag. */
import { Alert, Anchor } from '@mantine/core';
import type { Answer } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { Chip, formatBytes, formatCount, formatPercent, Time } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { FalseNames, ProofPanels } from './status-visitors.tsx';
import './status.css';

type Status = Answer<'GET /v1/status'>;

const EVERY_MS = 3_000;

export default function StatusPage() {
  const reading = useRead('GET /v1/status', {}, { everyMs: EVERY_MS });
  return (
    <>
      <PageHead title="Status" lead="How this service is doing, refreshed every three seconds." />
      <Loaded of={reading} rows={8}>
        {(status) => (
          <div className="stack">
            <div className="columns">
              <Service status={status} />
              <Storage of={status.storage} place={status.columns.place} />
              <Decisions status={status} />
              <Privacy of={status.privacy} />
              <Deliveries of={status.webhooks} />
              <FalseNames of={status.visitors} />
            </div>
            <ProofPanels of={status.visitors} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Service({ status: { version, started, memoryBytes } }: { status: Status }) {
  return (
    <Panel title="Service">
      <Facts
        of={{
          Version: version,
          'Running since': <Time at={started} />,
          Memory: <span className="number">{formatBytes(memoryBytes)}</span>,
          'For monitoring': (
            <>
              <Anchor href="/metrics" size="sm">
                /metrics
              </Anchor>
              ,{' '}
              <Anchor href="/readyz" size="sm">
                /readyz
              </Anchor>
            </>
          ),
        }}
      />
    </Panel>
  );
}

function Storage({
  of: { recordsBytes, columnsBytes, diskFreeBytes, diskBytes },
  place,
}: {
  of: Status['storage'];
  place: string | null;
}) {
  return (
    <Panel title="Storage">
      <Facts
        of={{
          Records: <span className="number">{formatBytes(recordsBytes)}</span>,
          'Data for reports': (
            <span className="number">
              {formatBytes(columnsBytes)}
              {place !== null && ` in ClickHouse, ${place}`}
            </span>
          ),
          Disk: (
            <span className="number">
              {formatBytes(diskFreeBytes)} free of {formatBytes(diskBytes)} ({formatPercent(diskFreeBytes, diskBytes)})
            </span>
          ),
        }}
      />
      <div className="meter" aria-hidden="true">
        <span
          style={{
            width: `${100 - (100 * diskFreeBytes) / diskBytes}%`,
            background: 'var(--ink-soft)',
          }}
        />
      </div>
    </Panel>
  );
}

function Decisions({ status: { ledger, columns } }: { status: Status }) {
  return (
    <Panel title="Decisions">
      <Facts
        of={{
          'Recorded since the start': <span className="number">{formatCount(ledger.decisions)}</span>,
          'Waiting to be recorded': <span className="number">{formatCount(ledger.waiting)}</span>,
          'Not yet in reports': (
            <span className="number">
              {formatCount(columns.behind)} <Lag of={columns} />
            </span>
          ),
          ...(ledger.moved === 0
            ? {}
            : { 'Moved to ClickHouse': <span className="number">{formatCount(ledger.moved)}</span> }),
        }}
      />
      {ledger.lost > 0 && (
        <Alert color="red" mt="sm" py={8}>
          ClickHouse does not have {formatCount(ledger.lost)} decisions that moved there, as they were. Restore its
          backup.
        </Alert>
      )}
      {columns.problem !== null && (
        <Alert color="red" mt="sm" py={8}>
          {columns.problem}
        </Alert>
      )}
      <details className="technical">
        <summary>Technical details</summary>
        <Facts
          of={{
            'Group commits': <span className="number">{formatCount(ledger.commits)}</span>,
            'Report columns rebuilt': <span className="number">{formatCount(columns.rebuilds)}</span>,
          }}
        />
      </details>
    </Panel>
  );
}

function Lag({ of: { behind, problem } }: { of: Status['columns'] }) {
  if (problem !== null) return <Chip tone="denied">no reports now</Chip>;
  return <Chip tone={behind === 0 ? 'allowed' : 'limited'}>{behind === 0 ? 'up to date' : 'catching up'}</Chip>;
}

const AGENTS = { full: 'Kept whole', 'crawler-only': 'Only the name of a known crawler', none: 'Not kept' };

function Privacy({
  of: { ipPrecision, userAgent, inputDays, decisionDays, retiring, erasures },
}: {
  of: Status['privacy'];
}) {
  const addresses =
    { full: 'Kept whole', none: 'Not kept' }[ipPrecision] ?? `Shortened to ${ipPrecision.replace(',', ' and ')}`;
  return (
    <Panel title="Privacy">
      <Facts
        of={{
          Addresses: addresses,
          'User agents': AGENTS[userAgent],
          'Inputs of decisions': toSpan(inputDays, 'Erased'),
          Decisions: toSpan(decisionDays, 'Reduced to daily counts'),
          'At work now': toWork(retiring, erasures),
        }}
      />
    </Panel>
  );
}

/** An erasure has read all decisions before it goes on to other records, files and the data for reports. */
function toWork(retiring: boolean, { running, walked, of }: Status['privacy']['erasures']): string {
  const erasing =
    walked < of ? `${formatPercent(walked, of)} of the decisions read` : 'decisions done, other records follow';
  const works = [
    ...(retiring ? ['Old decisions are being reduced'] : []),
    ...(running === 0 ? [] : [`${formatCount(running)} to be erased: ${erasing}`]),
  ];
  return works.join('. ') || 'Nothing';
}

const toSpan = (days: number | null, then: string): string => (days === null ? 'Kept' : `${then} after ${days} days`);

function Deliveries({ of: { succeeded, failed, inFlight } }: { of: Status['webhooks'] }) {
  return (
    <Panel title="Webhooks">
      <Facts
        of={{
          'Attempts that succeeded': <span className="number">{formatCount(succeeded)}</span>,
          'Attempts that failed': <span className="number">{formatCount(failed)}</span>,
          'In flight': <span className="number">{formatCount(inFlight)}</span>,
        }}
      />
    </Panel>
  );
}
