/** The proofs of visitors in the status: published lists, keys of agents; and the names that were falsely claimed. */
import type { Answer } from '../api/client.ts';
import { HeldBack } from '../crawlers/held-back.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, formatCount, Time, Words } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';

type Visitors = Answer<'GET /v1/status'>['visitors'];

/** The tables of addresses and sentences need the width of the page. */
export function ProofPanels({ of: { lists, directories } }: { of: Visitors }) {
  return (
    <>
      {lists.count > 0 && (
        <Panel title="Published addresses" lead="They prove which bots are who they say they are.">
          <List
            caption="Published addresses"
            records={lists.data}
            idOf={({ url }) => url}
            columns={[
              { label: 'List', show: ({ url }) => url },
              { label: 'Published', narrow: true, show: ({ fetched }) => <Time at={fetched} absent="never" /> },
              { label: 'State', show: (list) => <ListState of={list} /> },
            ]}
          />
          <Rest of={lists} />
        </Panel>
      )}
      {directories.count > 0 && (
        <Panel title="Keys of agents" lead="They prove the signatures of requests.">
          <List
            caption="Keys of agents"
            records={directories.data}
            idOf={({ agent }) => agent}
            columns={[
              { label: 'Agent', show: ({ agent }) => agent },
              { label: 'Fetched', narrow: true, show: ({ fetched }) => <Time at={fetched} absent="never" /> },
              { label: 'State', show: (directory) => <DirectoryState of={directory} /> },
            ]}
          />
          <Rest of={directories} />
        </Panel>
      )}
    </>
  );
}

export function FalseNames({ of: { spoofed } }: { of: Visitors }) {
  return (
    <Panel title="False names" lead="Claimed by visitors within 24 hours that were not who they said.">
      {spoofed === null || spoofed.length === 0 ? (
        <Empty title={spoofed === null ? 'Still being counted' : 'None'} />
      ) : (
        <List
          caption="False names"
          tight
          records={spoofed}
          idOf={({ claimed }) => claimed}
          columns={[
            { label: 'Name', show: ({ claimed }) => <PartnerName id={claimed} /> },
            { label: 'Requests', right: true, show: ({ checks }) => formatCount(checks) },
            { label: 'Since', narrow: true, show: ({ since }) => <Time at={since} /> },
          ]}
        />
      )}
    </Panel>
  );
}

function ListState({
  of: { url, ranges, fetched, fresh, held, ...fetching },
}: {
  of: Visitors['lists']['data'][number];
}) {
  return (
    <>
      {fresh ? (
        <Chip tone="allowed">{countOf(ranges, 'range')}</Chip>
      ) : (
        <Chip tone="denied">{fetched === null ? 'never fetched' : 'too old: it proves nothing'}</Chip>
      )}
      {held !== null && <HeldBack url={url} ranges={ranges} held={held} />}
      <Failing of={fetching} />
    </>
  );
}

const KEYS = {
  fresh: ['allowed', ''],
  fetching: [undefined, 'being fetched'],
  stale: ['denied', 'too old: they prove nothing'],
  failing: ['denied', 'never fetched'],
} as const;

function DirectoryState({ of: { state, keys, ...fetching } }: { of: Visitors['directories']['data'][number] }) {
  const [tone, words] = KEYS[state];
  return (
    <>
      <Chip tone={tone}>{words || countOf(keys, 'key')}</Chip>
      <Failing of={fetching} />
    </>
  );
}

interface Fetching {
  failures: number;
  failingSince: string | null;
  error: string | null;
}

function Failing({ of: { failures, failingSince, error } }: { of: Fetching }) {
  if (failures === 0) return null;
  return (
    <span className="under">
      {countOf(failures, 'failed fetch', 'failed fetches')}
      {failingSince !== null && (
        <>
          , the first <Time at={failingSince} />
        </>
      )}
      : {error === null ? '' : <Words of={error} />}
    </span>
  );
}

const countOf = (count: number, one: string, several = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : several}`;

/** Says how many more there are than the table shows. */
function Rest({ of: { count, data } }: { of: { count: number; data: readonly unknown[] } }) {
  return count > data.length ? <p className="soft">{`${formatCount(count - data.length)} more`}</p> : null;
}
