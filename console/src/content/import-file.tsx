/** The import of one file: mapping and preview, then progress and failures. */
import { Alert, Button } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { queries } from '../api/read.ts';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { formatCount } from '../parts/show.tsx';
import { MappingFields } from './mapping-fields.tsx';
import type { Read } from './read-file.ts';
import { guessMapping, LABELS, type Plan, REQUIRED, type Row, toRow, withoutRepeats } from './rows.ts';
import { type Outcome, sendRows } from './send.ts';
import { Sending } from './sending.tsx';

interface ImportFileProps {
  name: string;
  read: Read;
  onRestart: () => void;
}

export function ImportFile({ name, read, onRestart }: ImportFileProps) {
  const [plan, setPlan] = useState<Plan>(() => ({
    mapping: guessMapping(read.columns),
    defaults: { type: '', policyId: '' },
    extra: false,
  }));
  const rows = useMemo(() => withoutRepeats(read.records.map((record, i) => toRow(record, i + 1, plan))), [read, plan]);
  const bad = rows.filter(({ problem }) => problem !== undefined);
  const good = rows.filter(({ problem }) => problem === undefined);
  const { state, outcome, error, send, stop } = useSending(good);

  if (state !== 'mapping')
    return (
      <Sending
        rows={good}
        bad={bad}
        outcome={outcome}
        done={state === 'done'}
        error={error}
        onStop={stop}
        onRestart={onRestart}
      />
    );
  return (
    <>
      <Panel
        title="Map columns"
        lead={`${name}: ${pluralize(read.records.length, 'row')}`}
        actions={
          <Button variant="default" onClick={onRestart}>
            Another file
          </Button>
        }
      >
        <MappingFields columns={read.columns} plan={plan} onChange={setPlan} />
      </Panel>
      <Preview good={good} bad={bad} plan={plan} onSend={send} />
    </>
  );
}

/** Sends rows once; aborting keeps what was sent. */
function useSending(rows: readonly Row[]) {
  const [state, setState] = useState<'mapping' | 'sending' | 'done'>('mapping');
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<string>();
  const abort = useRef(new AbortController());
  const send = async () => {
    setState('sending');
    setError(undefined);
    abort.current = new AbortController();
    try {
      await sendRows(rows, setOutcome, abort.current.signal);
    } catch (failed) {
      setError((failed as Error).message);
    }
    await queries.invalidateQueries();
    setState('done');
  };
  return { state, outcome, error, send, stop: () => abort.current.abort() };
}

interface PreviewProps {
  good: readonly Row[];
  bad: readonly Row[];
  plan: Plan;
  onSend: () => void;
}

function Preview({ good, bad, plan: { mapping, defaults }, onSend }: PreviewProps) {
  const unmapped = REQUIRED.filter(
    (field) => mapping[field] === undefined && !(field === 'type' && defaults.type !== ''),
  );
  return (
    <Panel
      title="Preview"
      lead={
        <span data-preview>
          {formatCount(good.length)} good, {formatCount(bad.length)} with a problem
        </span>
      }
      actions={
        <Button onClick={onSend} disabled={good.length === 0 || unmapped.length > 0}>
          Import {pluralize(good.length, 'item')}
        </Button>
      }
    >
      {unmapped.length > 0 && (
        <Alert color="yellow">
          Say which column is {unmapped.map((field) => LABELS[field].toLowerCase()).join(', ')}.
        </Alert>
      )}
      <Rows of={[...bad.slice(0, 10), ...good.slice(0, 5)]} />
      {bad.length > 10 && (
        <p className="soft small">
          and {formatCount(bad.length - 10)} more with a problem; they are left out and reported.
        </p>
      )}
    </Panel>
  );
}

function Rows({ of: rows }: { of: readonly Row[] }) {
  return (
    <List
      caption="Rows as they will be sent"
      records={rows}
      idOf={({ number }) => String(number)}
      columns={[
        { label: 'Title', show: ({ item }) => String(item.title ?? '–') },
        { label: 'Row', right: true, narrow: true, show: ({ number }) => formatCount(number) },
        { label: 'External id', show: ({ item }) => String(item.externalId ?? '–') },
        { label: 'Type', narrow: true, show: ({ item }) => String(item.type ?? '–') },
        {
          label: 'Problem',
          show: ({ problem }) => (problem === undefined ? '' : <span className="error">{problem}</span>),
        },
      ]}
    />
  );
}
