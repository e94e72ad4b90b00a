/** The progress of an import and its failures. */
import '@mantine/core/styles/Progress.css';
import { Alert, Button, Progress } from '@mantine/core';
import { Link } from 'wouter';
import { csvRows } from '../../../src/lib/csv-cell.ts';
import { IconDownload } from '../parts/icons.ts';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { saveText } from '../parts/save.ts';
import { formatCount } from '../parts/show.tsx';
import type { Row } from './rows.ts';
import type { Outcome } from './send.ts';

interface SendingProps {
  rows: readonly Row[];
  bad: readonly Row[];
  outcome: Outcome | undefined;
  done: boolean;
  error: string | undefined;
  onStop: () => void;
  onRestart: () => void;
}

export function Sending({ rows, bad, outcome, done, error, onStop, onRestart }: SendingProps) {
  const { sent, created, updated, unchanged, failed } = outcome ?? NOTHING;
  const failures = [...bad.map(toFailure), ...failed].toSorted((a, b) => a.number - b.number);
  return (
    <Panel
      title={done ? 'Imported' : 'Importing…'}
      actions={
        done ? (
          <div className="actions">
            <Button variant="default" onClick={onRestart}>
              Another file
            </Button>
            <Button component={Link} href="/content">
              Show content
            </Button>
          </div>
        ) : (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        )
      }
    >
      <Progress value={rows.length === 0 ? 100 : (100 * sent) / rows.length} aria-label="Progress" animated={!done} />
      <p role="status" data-report>
        {formatCount(sent)} of {formatCount(rows.length)} sent: {formatCount(created)} created, {formatCount(updated)}{' '}
        updated, {unchanged > 0 && `${formatCount(unchanged)} unchanged, `}
        {formatCount(failures.length)} failed.
      </p>
      {error !== undefined && (
        <Alert color="red" title="The import stopped" role="alert">
          {error} Items sent so far are kept. Import the file again to continue.
        </Alert>
      )}
      {done && failures.length > 0 && <Failures of={failures} />}
    </Panel>
  );
}

const NOTHING: Outcome = { sent: 0, created: 0, updated: 0, unchanged: 0, failed: [] };

type Failure = Outcome['failed'][number];

const toFailure = ({ number, item, problem = '' }: Row): Failure => ({
  number,
  externalId: String(item.externalId ?? ''),
  message: problem,
});

function Failures({ of: failures }: { of: readonly Failure[] }) {
  const save = () =>
    saveText(
      'not-imported.csv',
      csvRows([
        ['row', 'externalId', 'problem'],
        ...failures.map(({ number, externalId, message }) => [number, externalId, message]),
      ]),
    );
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save}>
        Failures as CSV
      </Button>
      <List
        caption="Failures"
        records={failures.slice(0, 50)}
        idOf={({ number }) => String(number)}
        columns={[
          { label: 'External id', show: ({ externalId }) => externalId || '–' },
          { label: 'Row', right: true, narrow: true, show: ({ number }) => formatCount(number) },
          { label: 'Problem', show: ({ message }) => <span className="error">{message}</span> },
        ]}
      />
    </>
  );
}
