/** Imports items from a file: choose it, map its columns, review problems, send, and see failures. */
import { Alert, Button, FileButton } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { csvRows } from '../../../src/lib/csv-cell.ts';
import { IconFileUpload } from '../parts/icons.ts';
import { PageHead } from '../parts/page.tsx';
import { saveText } from '../parts/save.ts';
import { ImportFile } from './import-file.tsx';
import { type Read, readFile } from './read-file.ts';
import './import.css';

export default function ImportPage() {
  const [file, setFile] = useState<{ name: string; read: Read }>();
  const [error, setError] = useState<string>();
  const open = async (chosen: File | null) => {
    if (chosen === null) return;
    setError(undefined);
    try {
      const read = await readFile(chosen);
      if (read.records.length === 0) throw new Error('The file is empty.');
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
        lead="From CSV, NDJSON or a JSON list. Items with a known external id are updated."
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
          <ImportFile key={file.name} name={file.name} read={file.read} onRestart={() => setFile(undefined)} />
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
        With column names in the first line, or an object on each line. You see every item before it is sent.
      </p>
      <FileButton onChange={onFile} accept=".csv,.tsv,.ndjson,.jsonl,.json,text/csv,application/x-ndjson">
        {(props) => <Button {...props}>Choose a file</Button>}
      </FileButton>
      <Button
        variant="subtle"
        onClick={() =>
          saveText(
            'items.csv',
            csvRows([
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
