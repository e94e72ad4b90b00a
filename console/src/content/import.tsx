/** Many items from a file: choose it, say which column is what, see what is wrong, send, and know what failed. */
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Progress.css';
import { Alert, Button, Checkbox, FileButton, Progress, Select } from '@mantine/core';
import { IconDownload, IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { queries } from '../api/read.ts';
import { List } from '../parts/list.tsx';
import { PageHead, Panel } from '../parts/page.tsx';
import { csvOf, saveText } from '../parts/save.ts';
import { countOf } from '../parts/show.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { type Read, readFile } from './read-file.ts';
import { type Defaults, FIELDS, type Field, guessMapping, type Mapping, REQUIRED, type Row, toRow } from './rows.ts';
import { type Outcome, sendRows } from './send.ts';
import { TYPES } from './types.ts';

export default function ImportPage() {
  const [file, setFile] = useState<{ name: string; read: Read }>();
  const [error, setError] = useState<string>();
  const open = async (chosen: File | null) => {
    if (chosen === null) return;
    setError(undefined);
    try {
      const read = await readFile(chosen);
      if (read.records.length === 0) throw new Error('There is nothing in this file.');
      setFile({ name: chosen.name, read });
    } catch (failed) {
      setError((failed as Error).message);
    }
  };
  return (
    <>
      <PageHead
        title="Import items"
        under={{ path: '/content', label: 'Content' }}
        lead="From CSV, NDJSON or a JSON list. Items that are there already, by their external id, are updated."
      />
      <div className="stack">
        {error !== undefined && (
          <Alert color="red" title="The file cannot be read" role="alert">
            {error}
          </Alert>
        )}
        {file === undefined ? (
          <Choose onFile={open} />
        ) : (
          <Mapped key={file.name} name={file.name} read={file.read} onAgain={() => setFile(undefined)} />
        )}
      </div>
    </>
  );
}

function Choose({ onFile }: { onFile: (file: File | null) => void }) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer.files[0] ?? null);
  };
  return (
    <div
      className="panel drop"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <IconFileUpload size={38} stroke={1.3} />
      <h2>Drop a file here</h2>
      <p className="soft">
        A first line with the names of the columns, or an object on each line. Nothing is sent before you have seen it.
      </p>
      <FileButton onChange={onFile} accept=".csv,.tsv,.ndjson,.jsonl,.json,text/csv,application/x-ndjson">
        {(props) => <Button {...props}>Choose a file</Button>}
      </FileButton>
      <Button
        variant="subtle"
        onClick={() =>
          saveText(
            'items.csv',
            csvOf([
              ['externalId', 'title', 'type', 'source', 'tags'],
              ['article-1', 'Tides', 'article', 'https://example.com/tides', 'science;sea'],
            ]),
          )
        }
      >
        An example to begin with
      </Button>
    </div>
  );
}

interface MappedProps {
  name: string;
  read: Read;
  onAgain: () => void;
}

function Mapped({ name, read, onAgain }: MappedProps) {
  const choices = usePolicyChoices();
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(read.columns));
  const [defaults, setDefaults] = useState<Defaults>({ type: '', policyId: '' });
  const [extra, setExtra] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [state, setState] = useState<'mapping' | 'sending' | 'done'>('mapping');
  const [failed, setFailed] = useState<string>();
  const stop = useRef(new AbortController());
  const rows = useMemo(
    () => read.records.map((record, i) => toRow(record, i + 1, mapping, defaults, extra)),
    [read, mapping, defaults, extra],
  );
  const bad = rows.filter(({ problem }) => problem !== undefined);
  const good = rows.filter(({ problem }) => problem === undefined);
  const unmapped = REQUIRED.filter(
    (field) => mapping[field] === undefined && !(field === 'type' && defaults.type !== ''),
  );

  const send = async () => {
    setState('sending');
    setFailed(undefined);
    stop.current = new AbortController();
    try {
      await sendRows(good, setOutcome, stop.current.signal);
    } catch (error) {
      setFailed((error as Error).message);
    }
    await queries.invalidateQueries();
    setState('done');
  };

  if (state !== 'mapping')
    return (
      <Sending
        rows={good}
        bad={bad}
        outcome={outcome}
        done={state === 'done'}
        error={failed}
        onStop={() => stop.current.abort()}
        onAgain={onAgain}
      />
    );
  return (
    <>
      <Panel
        title="Which column is what"
        lead={`${name}: ${countOf(read.records.length)} rows`}
        actions={
          <Button variant="default" onClick={onAgain}>
            Another file
          </Button>
        }
      >
        <div className="pair">
          {FIELDS.map((field) => (
            <Select
              key={field}
              label={LABELS[field]}
              placeholder="none"
              data={read.columns}
              value={mapping[field] ?? null}
              onChange={(column) => setMapping(withColumn(mapping, field, column))}
              withAsterisk={REQUIRED.includes(field)}
              clearable
              searchable
            />
          ))}
        </div>
        <div className="pair below">
          <Select
            label="Type, where a row has none"
            data={[...TYPES]}
            value={defaults.type || null}
            onChange={(type) => setDefaults({ ...defaults, type: type ?? '' })}
            clearable
          />
          <Select
            label="Policy, where a row has none"
            data={choices}
            value={defaults.policyId || null}
            onChange={(policyId) => setDefaults({ ...defaults, policyId: policyId ?? '' })}
            clearable
            searchable
          />
        </div>
        <Checkbox
          mt="md"
          label="Keep the other columns as metadata"
          checked={extra}
          onChange={(event) => setExtra(event.currentTarget.checked)}
        />
      </Panel>
      <Panel
        title="What will be sent"
        lead={
          <span data-preview>
            {countOf(good.length)} good, {countOf(bad.length)} with a problem
          </span>
        }
        actions={
          <Button onClick={send} disabled={good.length === 0 || unmapped.length > 0}>
            Import {countOf(good.length)} items
          </Button>
        }
      >
        {unmapped.length > 0 && (
          <Alert color="yellow">
            Say which column is {unmapped.map((field) => LABELS[field].toLowerCase()).join(', ')}.
          </Alert>
        )}
        <Preview rows={[...bad.slice(0, 10), ...good.slice(0, 5)]} />
        {bad.length > 10 && (
          <p className="soft small">
            and {countOf(bad.length - 10)} more with a problem; they are left out and reported.
          </p>
        )}
      </Panel>
    </>
  );
}

const LABELS: Record<Field, string> = {
  externalId: 'External id',
  title: 'Title',
  type: 'Type',
  source: 'Source',
  policyId: 'Policy',
  tags: 'Tags',
  metadata: 'Metadata',
};

function withColumn(mapping: Mapping, field: Field, column: string | null): Mapping {
  const { [field]: _, ...rest } = mapping;
  return column === null ? rest : { ...rest, [field]: column };
}

function Preview({ rows }: { rows: readonly Row[] }) {
  return (
    <List
      caption="Rows as they will be sent"
      records={rows}
      idOf={({ number }) => String(number)}
      columns={[
        { label: 'Title', show: ({ item }) => String(item.title ?? '–') },
        { label: 'Row', right: true, narrow: true, show: ({ number }) => countOf(number) },
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

interface SendingProps {
  rows: readonly Row[];
  bad: readonly Row[];
  outcome: Outcome | undefined;
  done: boolean;
  error: string | undefined;
  onStop: () => void;
  onAgain: () => void;
}

function Sending({ rows, bad, outcome, done, error, onStop, onAgain }: SendingProps) {
  const sent = outcome?.sent ?? 0;
  const failures = [
    ...bad.map(({ number, item, problem = '' }) => ({
      number,
      externalId: String(item.externalId ?? ''),
      message: problem,
    })),
    ...(outcome?.failed ?? []),
  ].sort((a, b) => a.number - b.number);
  return (
    <Panel
      title={done ? 'Imported' : 'Importing…'}
      actions={
        done ? (
          <div className="actions">
            <Button variant="default" onClick={onAgain}>
              Another file
            </Button>
            <Button component={Link} href="/content">
              To the content
            </Button>
          </div>
        ) : (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        )
      }
    >
      <Progress
        value={rows.length === 0 ? 100 : (100 * sent) / rows.length}
        aria-label="How far it is"
        animated={!done}
      />
      <p role="status" data-report>
        {countOf(sent)} of {countOf(rows.length)} sent: {countOf(outcome?.created ?? 0)} created,{' '}
        {countOf(outcome?.updated ?? 0)} updated, {countOf(failures.length)} failed.
      </p>
      {error !== undefined && (
        <Alert color="red" title="It stopped here" role="alert">
          {error} What was sent stays; import the file again to go on.
        </Alert>
      )}
      {done && failures.length > 0 && (
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() =>
              saveText(
                'not-imported.csv',
                csvOf([
                  ['row', 'externalId', 'problem'],
                  ...failures.map(({ number, externalId, message }) => [number, externalId, message]),
                ]),
              )
            }
          >
            What failed, as CSV
          </Button>
          <List
            caption="What failed"
            records={failures.slice(0, 50)}
            idOf={({ number }) => String(number)}
            columns={[
              { label: 'External id', show: ({ externalId }) => externalId || '–' },
              { label: 'Row', right: true, narrow: true, show: ({ number }) => countOf(number) },
              { label: 'Problem', show: ({ message }) => <span className="error">{message}</span> },
            ]}
          />
        </>
      )}
    </Panel>
  );
}
