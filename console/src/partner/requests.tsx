/** Requests for licenses, and the publisher's answers. */
import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormFoot } from '../parts/form-foot.tsx';
import { List } from '../parts/list.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, formatCount, Time } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { useWork } from '../parts/work.ts';
import { REQUEST_STATES } from '../requests/types.ts';
import { useConnection, useOwn, useReadAgain } from './api.ts';

interface RequestsProps {
  /** The kind of license in the form. */
  kind: string;
  onKind: (kind: string) => void;
}

const SHOWN = 20;
const SHOWN_MAX = 100;

export function Requests({ kind, onKind }: RequestsProps) {
  const [limit, setLimit] = useState(SHOWN);
  const requests = useOwn('GET /v1/me/requests', { query: { limit } });
  return (
    <Panel title="Ask for a license" lead="The publisher grants or declines it; the answer appears here.">
      <RequestForm kind={kind} onKind={onKind} />
      <div className="below">
        <Loaded of={requests} rows={2}>
          {({ data, totalCount }) =>
            data.length === 0 ? null : (
              <>
                <List
                  caption="Your requests"
                  records={data}
                  idOf={({ id }) => id}
                  columns={[
                    {
                      label: 'Kind',
                      show: ({ licenseType, note }) => (
                        <>
                          <strong>{licenseType}</strong>
                          {note !== null && <span className="under">{note}</span>}
                        </>
                      ),
                    },
                    { label: 'Asked', narrow: true, show: ({ created }) => <Time at={created} /> },
                    {
                      label: 'Answer',
                      show: ({ status, answer }) => (
                        <>
                          <Chip tone={REQUEST_STATES[status].tone}>{REQUEST_STATES[status].word}</Chip>
                          {answer !== null && <span className="under">{answer}</span>}
                        </>
                      ),
                    },
                  ]}
                />
                {totalCount > data.length && limit < SHOWN_MAX && (
                  <Button variant="subtle" size="compact-sm" onClick={() => setLimit(SHOWN_MAX)}>
                    {formatCount(totalCount - data.length)} earlier
                  </Button>
                )}
              </>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}

function RequestForm({ kind, onKind }: RequestsProps) {
  const { call } = useConnection();
  const readAgain = useReadAgain();
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const clear = () => {
    onKind('');
    setNote('');
  };
  const { error, start } = useWork(async () => {
    setBusy(true);
    try {
      const body = { licenseType: kind.trim(), ...(note.trim() === '' ? {} : { note: note.trim() }) };
      await call('POST /v1/me/requests', { body });
      notify('The publisher has your request.');
      clear();
      await readAgain();
    } finally {
      setBusy(false);
    }
  });
  return (
    <form onSubmit={start} className="fields" id="request">
      <TextInput
        label="Kind of license"
        placeholder="training, research…"
        value={kind}
        onChange={(event) => onKind(event.currentTarget.value)}
        required
        withAsterisk={false}
        maxLength={64}
      />
      <Textarea
        label="What you want to do"
        placeholder="optional, for the publisher"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        rows={3}
        maxLength={2000}
      />
      <FormFoot
        error={error?.message}
        busy={busy}
        action="Send request"
        disabled={kind.trim() === ''}
        onCancel={clear}
      />
    </form>
  );
}
