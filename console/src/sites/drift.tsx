/** The live files of a site beside the intended ones. */
import { Alert } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { MayButton } from '../parts/act.tsx';
import { IconRefresh } from '../parts/icons.ts';
import { Panel } from '../parts/page.tsx';
import { Chip, formatCount, Time } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { DRIFT_STATES, FILE_STATES } from './words.ts';

type Drifted = Answer<'GET /v1/sites/{host}/signals/drift'>;
type CheckedFile = Drifted['files'][number];
type Difference = CheckedFile['differences'][number];

const SHOWN = 20;

export function Drift({ host }: { host: string }) {
  const drift = useRead('GET /v1/sites/{host}/signals/drift', { path: { host } });
  const write = useWrite();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const check = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    await write('POST /v1/sites/{host}/signals/drift', { path: { host } }).catch(setError);
    setBusy(false);
  };
  const look = (
    <MayButton
      permission="policies:write"
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={busy}
      onClick={() => void check()}
    >
      Check now
    </MayButton>
  );
  const isUnchecked = drift.data?.state === 'unchecked';
  return (
    <Panel
      title="On your site"
      lead="What your web server really serves, compared with what it should. Postern looks once a day."
      actions={!isUnchecked && look}
    >
      {error !== undefined && <Alert color="red">{error.message}</Alert>}
      <Loaded of={drift} rows={3}>
        {(data) => (data.state === 'unchecked' ? <Unchecked action={look} /> : <Compared drift={data} />)}
      </Loaded>
    </Panel>
  );
}

const Unchecked = ({ action }: { action: ReactNode }) => (
  <Empty title="Not looked at yet" action={action}>
    Once your web server serves the files, check that crawlers read there what your policies say.
  </Empty>
);

function Compared({ drift: { state, checked, since, files } }: { drift: Drifted }) {
  const { tone, text } = DRIFT_STATES[state];
  return (
    <div className="stack">
      <p>
        <Chip tone={tone}>{text}</Chip>{' '}
        <span className="soft small">
          Last looked at <Time at={checked} />
          {since !== null && (
            <>
              {' '}
              · differs since <Time at={since} />
            </>
          )}
        </span>
      </p>
      {files
        .filter(({ state: one }) => one !== 'off')
        .map((file) => (
          <CheckedPart key={file.kind} file={file} />
        ))}
    </div>
  );
}

function CheckedPart({ file }: { file: CheckedFile }) {
  const { kind, path, state, message, differences, differenceCount, lines } = file;
  const { tone, text } = FILE_STATES[state];
  const rest = differenceCount - Math.min(SHOWN, differences.length);
  return (
    <section aria-label={kind}>
      <div>
        <strong>{kind === 'headers' ? 'Headers of the first page' : path}</strong> <Chip tone={tone}>{text}</Chip>
      </div>
      {message !== null && <p className="soft small">{message}</p>}
      {differences.length > 0 && (
        <ul className="plain">
          {differences.slice(0, SHOWN).map((one) => (
            <li key={one.message}>
              {one.message} <Effect of={one} />
            </li>
          ))}
          {rest > 0 && <li className="soft">and {formatCount(rest)} more</li>}
        </ul>
      )}
      {lines.length > 0 && (
        <details>
          <summary>{state === 'same' ? 'The text differs, the meaning does not' : 'Line by line'}</summary>
          <p className="soft small">
            <span className="line-intended">− should be there</span> · <span className="line-live">+ is there</span>
          </p>
          <pre className="json file" aria-label={`Lines of ${kind}`} tabIndex={0}>
            {lines.map(({ kind: one, text: line }, i) => (
              // Lines have no other name, and never move.
              <div key={i} className={`line-${one}`}>
                {SIGNS[one]} {one === 'gap' ? `… ${line}` : line}
              </div>
            ))}
          </pre>
        </details>
      )}
    </section>
  );
}

const SIGNS = { same: ' ', intended: '−', live: '+', gap: ' ' } as const;

function Effect({ of: { effect } }: { of: Difference }) {
  if (effect === 'other') return null;
  return effect === 'opens' ? (
    <Chip tone="denied">says more than you allow</Chip>
  ) : (
    <Chip tone={undefined}>says less than you allow</Chip>
  );
}
