/** Imports partners and bots from CSV: choose or paste it, see the outcome of each line, then write all or none. */
import { Alert, Button, FileButton, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type Answer, call, PosternError } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { List } from '../parts/list.tsx';
import { notify } from '../parts/notices.tsx';
import { pluralize } from '../parts/plural.ts';
import { saveText } from '../parts/save.ts';
import { useWork } from '../parts/work.ts';

type Imported = Answer<'POST /v1/requesters/import'>;

const EXAMPLE = 'name,type,contactName,email\nNorthern Library,research,Jo Reyes,jo@library.example\n';
const BYTES_MAX = 1 << 20;
const ROWS_SHOWN = 100;
/** The names that the form of a partner has for the fields. */
const LABELS: Record<string, string> = {
  name: 'name',
  type: 'type',
  tags: 'tags',
  userAgents: 'user agents',
  contactName: 'contact',
  email: 'e-mail',
  billingAddress: 'billing address',
};

export function ImportRequesters({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const [csv, setCsv] = useState('');
  const [preview, setPreview] = useState<Imported>();
  if (preview !== undefined)
    return <Preview csv={csv} of={preview} onDone={onDone} onBack={() => setPreview(undefined)} />;
  return <Choose csv={csv} onChange={setCsv} onPreview={setPreview} onCancel={onCancel} />;
}

interface ChooseProps {
  csv: string;
  onChange: (csv: string) => void;
  onPreview: (preview: Imported) => void;
  onCancel: () => void;
}

function Choose({ csv, onChange, onPreview, onCancel }: ChooseProps) {
  const [unread, setUnread] = useState<string>();
  const { busy, error, start } = useWork(async () => {
    onPreview(await call('POST /v1/requesters/import', { query: { dryRun: true, update: true }, body: csv }));
  });
  const choose = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const isLarge = file.size > BYTES_MAX;
    setUnread(isLarge ? 'The file is larger than 1 MiB. Import it in parts.' : undefined);
    if (!isLarge) onChange(await file.text());
  };
  return (
    <form onSubmit={start} className="fields">
      <p className="soft small">
        The first row names the columns, in any order: name, type, tags, user agents, contact name, email, billing
        address, id. Separate several tags by |. At most 1,000 rows. The next step shows the outcome; nothing is written
        before.
      </p>
      <Group gap="sm">
        <FileButton onChange={choose} accept=".csv,.tsv,.txt,text/csv">
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Button variant="subtle" onClick={() => saveText('partners.csv', EXAMPLE)}>
          An example to begin with
        </Button>
      </Group>
      <Textarea
        label="CSV"
        placeholder={EXAMPLE}
        value={csv}
        onChange={(event) => onChange(event.currentTarget.value)}
        rows={8}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data-autofocus
      />
      <Faults of={error} />
      <FormFoot error={unread} busy={busy} action="Preview" disabled={csv.trim() === ''} onCancel={onCancel} />
    </form>
  );
}

/** The bad lines, each with its number. */
function Faults({ of: error }: { of: Error | undefined }) {
  if (error === undefined) return null;
  const lines = error instanceof PosternError ? (error.details ?? []) : [];
  return (
    <Alert color="red" role="alert" title="Nothing can be imported yet">
      {lines.length === 0 ? (
        error.message
      ) : (
        <ul>
          {lines.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

interface PreviewProps {
  csv: string;
  of: Imported;
  onDone: () => void;
  onBack: () => void;
}

function Preview({ csv, of: { created, updated, unchanged, requesters }, onDone, onBack }: PreviewProps) {
  const write = useWrite();
  const { busy, error, start } = useWork(async () => {
    // Without a change in the preview, a partner that was added since is not changed either.
    const done = await write('POST /v1/requesters/import', { query: { update: updated > 0 }, body: csv });
    notify(`Imported: ${done.created} added, ${done.updated} changed, ${done.unchanged} as before.`);
    onDone();
  });
  const touched = requesters.filter(({ outcome }) => outcome !== 'unchanged');
  return (
    <form onSubmit={start} className="fields">
      <p data-preview>
        {created} to add, {updated} to change, {unchanged} as before. Nothing is written yet.
      </p>
      <List
        caption="Partners and bots to import"
        records={touched.slice(0, ROWS_SHOWN)}
        idOf={({ line }) => String(line)}
        columns={[
          { label: 'Name', show: ({ name }) => name },
          { label: 'Line', right: true, narrow: true, show: ({ line }) => String(line) },
          { label: 'Outcome', show: describe },
        ]}
      />
      {touched.length > ROWS_SHOWN && <p className="soft small">and {touched.length - ROWS_SHOWN} more</p>}
      <Faults of={error} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" loading={busy} disabled={touched.length === 0}>
          Import {pluralize(touched.length, 'partner or bot', 'partners and bots')}
        </Button>
      </Group>
    </form>
  );
}

const describe = ({ outcome, changed, id }: Imported['requesters'][number]): string =>
  outcome === 'created' ? 'added' : `changes ${changed.map((field) => LABELS[field] ?? field).join(', ')} of ${id}`;
