/** How the service is doing: version, storage, lag. */
import { Anchor } from '@mantine/core';
import { useRead } from '../api/read.ts';
import { PageHead, Panel } from '../parts/page.tsx';
import { bytesOf, Chip, countOf, Moment, percentOf } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';

const EVERY_MS = 3_000;

export default function StatusPage() {
  const status = useRead('GET /v1/status', {}, { everyMs: EVERY_MS });
  return (
    <>
      <PageHead title="Status" lead="How this service is doing, looked at every three seconds." />
      <Loaded of={status} rows={8}>
        {({ version, started, storage, ledger, columns, webhooks, memoryBytes }) => (
          <div className="columns">
            <Panel title="Service">
              <dl className="facts">
                <dt>Version</dt>
                <dd>{version}</dd>
                <dt>Runs since</dt>
                <dd>
                  <Moment at={started} />
                </dd>
                <dt>Memory</dt>
                <dd className="number">{bytesOf(memoryBytes)}</dd>
                <dt>For machines</dt>
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
            <Panel title="Storage">
              <dl className="facts">
                <dt>Records</dt>
                <dd className="number">{bytesOf(storage.recordsBytes)}</dd>
                <dt>Columns for reports</dt>
                <dd className="number">{bytesOf(storage.columnsBytes)}</dd>
                <dt>Disk</dt>
                <dd className="number">
                  {bytesOf(storage.diskFreeBytes)} free of {bytesOf(storage.diskBytes)} (
                  {percentOf(storage.diskFreeBytes, storage.diskBytes)})
                </dd>
              </dl>
              <div className="meter" aria-hidden="true">
                <span
                  style={{
                    width: `${100 - (100 * storage.diskFreeBytes) / storage.diskBytes}%`,
                    background: 'var(--ink-soft)',
                  }}
                />
              </div>
            </Panel>
            <Panel title="Decisions">
              <dl className="facts">
                <dt>Recorded since the start</dt>
                <dd className="number">{countOf(ledger.decisions)}</dd>
                <dt>In group commits</dt>
                <dd className="number">{countOf(ledger.commits)}</dd>
                <dt>Waiting to be recorded</dt>
                <dd className="number">{countOf(ledger.waiting)}</dd>
                <dt>Not yet in reports</dt>
                <dd className="number">
                  {countOf(columns.behind)}{' '}
                  <Chip tone={columns.behind === 0 ? 'allowed' : 'limited'}>
                    {columns.behind === 0 ? 'up to date' : 'catching up'}
                  </Chip>
                </dd>
                <dt>Columns counted again</dt>
                <dd className="number">{countOf(columns.rebuilds)}</dd>
              </dl>
            </Panel>
            <Panel title="Webhooks">
              <dl className="facts">
                <dt>Attempts that succeeded</dt>
                <dd className="number">{countOf(webhooks.succeeded)}</dd>
                <dt>Attempts that failed</dt>
                <dd className="number">{countOf(webhooks.failed)}</dd>
                <dt>Under way</dt>
                <dd className="number">{countOf(webhooks.inFlight)}</dd>
              </dl>
            </Panel>
          </div>
        )}
      </Loaded>
    </>
  );
}
