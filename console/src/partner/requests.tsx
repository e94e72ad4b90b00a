/** Requests for licenses, and the publisher's answers. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRepeat } from '../api/repeat.ts';
import { ZONE } from '../parts/days.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { List } from '../parts/list.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, formatCount, Time } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { useWork } from '../parts/work.ts';
import { REQUEST_STATES } from '../requests/types.ts';
import { type Me, useConnection, useOwn, useReadAgain } from './api.ts';
import { Offers } from './ask.tsx';

interface RequestsProps {
  /** The kind of license in the form. */
  kind: string;
  onKind: (kind: string) => void;
}

interface RequestsPanelProps extends RequestsProps {
  /** Offers for everybody. */
  offers: Me['offers'];
}

const SHOWN = 20;
const SHOWN_MAX = 100;

export function Requests({ kind, onKind, offers }: RequestsPanelProps) {
  const [limit, setLimit] = useState(SHOWN);
  const requests = useOwn('GET /v1/me/requests', { query: { limit } });
  const places = usePlaces();
  return (
    <Panel title="Ask for a license" lead="The publisher grants or declines it; the answer appears here.">
      {offers.length > 0 && <Offers of={offers} onAskFor={onKind} label="Licenses to ask for" />}
      <RequestForm kind={kind} onKind={onKind} places={places} />
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
                      show: ({ licenseType, collectionId, note }) => (
                        <>
                          <strong>{licenseType}</strong>
                          {collectionId !== null && (
                            <span className="under">for {places.get(collectionId) ?? collectionId}</span>
                          )}
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

type Places = ReadonlyMap<string, string>;
const NO_PLACES: Places = new Map();
const PLACES_MAX = 50;

/** Returns the collections that the partner asked for within a year, by id: the only ones that it knows. */
function usePlaces(): Places {
  const query = { period: 'year', groupBy: 'collection', timezone: ZONE, limit: PLACES_MAX } as const;
  const { data } = useOwn('GET /v1/me/usage', { query });
  if (data === undefined) return NO_PLACES;
  const named = (data.groups ?? []).flatMap(({ id, name }): [string, string][] =>
    id === null || name == null ? [] : [[id, name]],
  );
  return new Map(named);
}

function RequestForm({ kind, onKind, places }: RequestsProps & { places: Places }) {
  const { call } = useConnection();
  const repeat = useRepeat();
  const readAgain = useReadAgain();
  const [collectionId, setCollectionId] = useState('');
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const clear = () => {
    onKind('');
    setCollectionId('');
    setNote('');
  };
  const { error, start } = useWork(async () => {
    setBusy(true);
    try {
      const body = {
        licenseType: kind.trim(),
        ...(collectionId === '' ? {} : { collectionId }),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      };
      await repeat('POST /v1/me/requests', { body }, (sent) => call('POST /v1/me/requests', sent));
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
      <PlaceField places={places} value={collectionId} onChange={setCollectionId} />
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

interface PlaceFieldProps {
  places: Places;
  value: string;
  onChange: (collectionId: string) => void;
}

function PlaceField({ places, value, onChange }: PlaceFieldProps) {
  if (places.size === 0) return null;
  return (
    <NativeSelect
      label="For"
      data={[{ value: '', label: 'Everything' }, ...[...places].map(([id, name]) => ({ value: id, label: name }))]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
