/** The identities of a crawler, with the age of its published lists. */
import type { ReactNode } from 'react';
import type { Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Values } from '../collections/selectors.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, formatCount, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { HeldBack } from './held-back.tsx';
import { type Identity, PROOFS } from './types.ts';

type PublishedList = Row<'GET /v1/identity-lists'>;

/** Lists of a service in one answer; a service with more shows those of the first page. */
const LISTS_MAX = 100;

interface IdentitiesProps {
  of: readonly Identity[];
  /** The title where there are none. */
  none?: string;
  actions?: ReactNode;
  /** The menu of one of them. */
  menu?: (identity: Identity) => ReactNode;
}

export function Identities({ of, none = 'Its operator publishes no proof', actions, menu }: IdentitiesProps) {
  const hasList = of.some((one) => 'list' in one);
  const mayRead = useMay('requesters:read');
  const lists = useRead('GET /v1/identity-lists', { query: { limit: LISTS_MAX } }, { enabled: hasList && mayRead });
  return (
    <Panel
      title="Proven by"
      lead="A visitor with this name that proves none of these only claims to be it."
      actions={actions}
    >
      {of.length === 0 ? (
        <Empty title={none} />
      ) : (
        <List
          caption="Identities"
          tight
          records={of}
          idOf={(one) => JSON.stringify(one)}
          columns={[
            { label: 'Kind', narrow: true, show: ({ kind }) => PROOFS[kind] },
            { label: 'Proof', show: (one) => <Proof of={one} published={lists.data?.data} /> },
            ...(menu === undefined ? [] : [{ label: '', narrow: true, show: menu }]),
          ]}
        />
      )}
    </Panel>
  );
}

function Proof({ of, published }: { of: Identity; published: readonly PublishedList[] | undefined }) {
  if (of.kind === 'signature') return <span>{of.agent}</span>;
  if (of.kind === 'dns') return <Values of={of.suffixes} />;
  if ('ranges' in of) return <Values of={of.ranges} />;
  const list = published?.find(({ url }) => url === of.list);
  return (
    <>
      <span>{of.list}</span>
      {published !== undefined &&
        (list === undefined ? <span className="under">not fetched yet</span> : <Age of={list} />)}
    </>
  );
}

function Age({ of: { url, fetched, ranges, fresh, failures, error, held } }: { of: PublishedList }) {
  return (
    <>
      <span className="under">
        {formatCount(ranges)} ranges, published <Time at={fetched} absent="never" />
      </span>
      <span className="tags">
        {!fresh && <Chip tone="denied">too old: it proves nothing</Chip>}
        {failures > 0 && <Chip tone="limited">{`${formatCount(failures)} fetches failed: ${error ?? ''}`}</Chip>}
      </span>
      {held !== null && <HeldBack url={url} ranges={ranges} held={held} />}
    </>
  );
}
