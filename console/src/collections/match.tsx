/** The tester: which item or collection decides about an address, why, and what came second. */
import { Alert, Anchor, Button, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { IconRoute } from '../parts/icons.ts';
import { type Column, List } from '../parts/list.tsx';
import { Facts, PageHead } from '../parts/page.tsx';
import { Chip } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import { PolicyLink } from '../policies/policy-link.tsx';
import { LOST, type Match, MatchedBy } from './selectors.tsx';

export default function MatchPage() {
  return (
    <>
      <PageHead
        title="Test an address"
        under={{ path: '/collections', label: 'Collections' }}
        lead="Paste the address of a page to see which item or collection decides about it, and why."
      />
      <div className="panel">
        <Tester />
      </div>
    </>
  );
}

/** The tested address is part of the page's address. `within` marks one collection in the result. */
export function Tester({ within }: { within?: string }) {
  const { values, set } = useFilters();
  const { url = '' } = values;
  const [typed, setTyped] = useState(url);
  const match = useRead('GET /v1/collections/match', { query: { url } }, { enabled: url !== '' });
  const test = (event: SyntheticEvent) => {
    event.preventDefault();
    set({ url: typed.trim() });
  };
  return (
    <div className="stack">
      <form className="filters" onSubmit={test}>
        <TextInput
          className="grow"
          aria-label="Address"
          placeholder="https://www.example.com/news/today"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          spellCheck={false}
        />
        <Button type="submit" variant="default" leftSection={<IconRoute size={16} />} disabled={typed.trim() === ''}>
          Test
        </Button>
      </form>
      {url !== '' && (
        <div aria-live="polite">
          <Loaded of={match} rows={3}>
            {(data) => <Result match={data} within={within} />}
          </Loaded>
        </div>
      )}
    </div>
  );
}

interface ResultProps {
  match: Match;
  within: string | undefined;
}

const REASONS = {
  content: 'given to the item',
  collection: 'from the collection',
  default: 'the default policy',
} as const;

function Result({ match, within }: ResultProps) {
  const { outcome, item, collection, policyId, policySource } = match;
  if (outcome === 'nothing') return <Nothing url={match.url} />;
  if (outcome === 'several_items') {
    return (
      <Alert color="yellow" title="Several items are registered at this address">
        None of them is chosen, and visitors are refused. Archive the others.
      </Alert>
    );
  }
  return (
    <div className="stack">
      <Facts
        of={{
          Item:
            item === null ? (
              'none is registered there'
            ) : (
              <>
                <Link href={`/content/${item.id}`}>{item.title}</Link>{' '}
                {item.status === 'archived' && <Chip tone="denied">archived</Chip>}
              </>
            ),
          Collection:
            collection === null ? (
              'none'
            ) : (
              <>
                <Link href={`/collections/${collection.id}`}>{collection.name}</Link>{' '}
                {collection.id === within && <Chip tone="allowed">this one</Chip>}{' '}
                {collection.mode === 'observe' && <Chip tone="limited">observed</Chip>}
              </>
            ),
          'Matched by': collection !== null && <MatchedBy of={collection} />,
          Policy: policyId !== null && policySource !== null && (
            <>
              <PolicyLink id={policyId} /> <span className="soft">{REASONS[policySource]}</span>
            </>
          ),
        }}
      />
      {match.runnersUp.length > 0 && <RunnersUp match={match} within={within} />}
    </div>
  );
}

type RunnerUp = Match['runnersUp'][number];

function RunnersUp({ match, within }: ResultProps) {
  const columns: readonly Column<RunnerUp>[] = [
    {
      label: 'Also matches',
      show: ({ id, name }) => (
        <>
          <Link href={`/collections/${id}`}>{name}</Link> {id === within && <Chip>this one</Chip>}
        </>
      ),
    },
    { label: 'By', show: (one) => <MatchedBy of={one} /> },
    { label: 'Less specific because', show: ({ lostBy }) => LOST[lostBy] },
  ];
  return <List caption="Less specific collections" records={match.runnersUp} idOf={({ id }) => id} columns={columns} />;
}

/** Offers the first steps. */
function Nothing({ url }: { url: string }) {
  const { host, pathname } = new URL(url);
  const query = new URLSearchParams({ host, path: pathname.replace(/[^/]*$/, '') });
  return (
    <Alert color="gray" title="Neither an item nor a collection has this address">
      <Anchor component={Link} size="sm" href={`/collections/new?${query}`}>
        Create a collection
      </Anchor>{' '}
      for addresses like it, or{' '}
      <Anchor component={Link} size="sm" href={`/content/new?${new URLSearchParams({ source: url })}`}>
        register an item
      </Anchor>
      .
    </Alert>
  );
}
