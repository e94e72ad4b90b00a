/** The status of the service: version, storage, lag. */
import { Anchor } from '@mantine/core';
import type { Answer } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { PageHead, Panel } from '../parts/page.tsx';
import { Chip, formatBytes, formatCount, formatPercent, Time } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
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
          <div className="columns">
            <Service status={status} />
            <Storage of={status.storage} />
            <Decisions status={status} />
            <Deliveries of={status.webhooks} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Service({ status: { version, started, memoryBytes } }: { status: Status }) {
  return (
    <Panel title="Service">
      <dl className="facts">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Running since</dt>
        <dd>
          <Time at={started} />
        </dd>
        <dt>Memory</dt>
        <dd className="number">{formatBytes(memoryBytes)}</dd>
        <dt>For monitoring</dt>
        <dd>
          <Anchor href="/metrics" size="sm">
            /metrics
          </Anchor>
          ,{' '}
          <Anchor href="/readyz" size="sm">
            /readyz
          </Anchor>
        </dd>
      </dl>
    </Panel>
  );
}

function Storage({ of: { recordsBytes, columnsBytes, diskFreeBytes, diskBytes } }: { of: Status['storage'] }) {
  return (
    <Panel title="Storage">
      <dl className="facts">
        <dt>Records</dt>
        <dd className="number">{formatBytes(recordsBytes)}</dd>
        <dt>Data for reports</dt>
        <dd className="number">{formatBytes(columnsBytes)}</dd>
        <dt>Disk</dt>
        <dd className="number">
          {formatBytes(diskFreeBytes)} free of {formatBytes(diskBytes)} ({formatPercent(diskFreeBytes, diskBytes)})
        </dd>
      </dl>
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
      <dl className="facts">
        <dt>Recorded since the start</dt>
        <dd className="number">{formatCount(ledger.decisions)}</dd>
        <dt>Waiting to be recorded</dt>
        <dd className="number">{formatCount(ledger.waiting)}</dd>
        <dt>Not yet in reports</dt>
        <dd className="number">
          {formatCount(columns.behind)}{' '}
          <Chip tone={columns.behind === 0 ? 'allowed' : 'limited'}>
            {columns.behind === 0 ? 'up to date' : 'catching up'}
          </Chip>
        </dd>
      </dl>
      <details className="technical">
        <summary>Technical details</summary>
        <dl className="facts">
          <dt>Group commits</dt>
          <dd className="number">{formatCount(ledger.commits)}</dd>
          <dt>Report columns rebuilt</dt>
          <dd className="number">{formatCount(columns.rebuilds)}</dd>
        </dl>
      </details>
    </Panel>
  );
}

function Deliveries({ of: { succeeded, failed, inFlight } }: { of: Status['webhooks'] }) {
  return (
    <Panel title="Webhooks">
      <dl className="facts">
        <dt>Attempts that succeeded</dt>
        <dd className="number">{formatCount(succeeded)}</dd>
        <dt>Attempts that failed</dt>
        <dd className="number">{formatCount(failed)}</dd>
        <dt>In flight</dt>
        <dd className="number">{formatCount(inFlight)}</dd>
      </dl>
    </Panel>
  );
}
