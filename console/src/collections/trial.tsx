/** Tests an address in the form of a collection: what would decide about it with the fields as typed, and why. */
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, type Body, call } from '../api/client.ts';
import { Facts } from '../parts/page.tsx';
import { Chip } from '../parts/show.tsx';
import { Failed } from '../parts/states.tsx';
import { usePolicyChoices } from '../policies/names.ts';
import { LOST, MatchedBy } from './selectors.tsx';

type Tried = Answer<'POST /v1/collections/match'>;
type Draft = Body<'POST /v1/collections/match'>['collection'];

/** Pauses of typing, so that not every letter is a request. */
const TYPING_MS = 300;

export function Trial({ draft }: { draft: Draft }) {
  const [typed, setTyped] = useState('');
  const [body] = useDebouncedValue({ url: typed.trim(), collection: draft }, TYPING_MS);
  const trial = useQuery({
    queryKey: ['POST /v1/collections/match', body],
    queryFn: () => call('POST /v1/collections/match', { body }),
    enabled: body.url !== '',
    placeholderData: (last) => last,
  });
  return (
    <div className="stack">
      <TextInput
        label="Test an address"
        description="With the hosts and paths as you see them, before you save."
        placeholder="https://www.example.com/news/today"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          // The form is not sent by what is no field of it.
          if (event.key === 'Enter') event.preventDefault();
        }}
        spellCheck={false}
      />
      {body.url !== '' && (
        <div aria-live="polite">
          {trial.error !== null && <Failed error={trial.error} />}
          {trial.error === null && trial.data !== undefined && <Result of={trial.data} />}
        </div>
      )}
    </div>
  );
}

function Result({ of }: { of: Tried }) {
  const { item, collection, policyId, tried } = of;
  const policies = usePolicyChoices();
  const policy = policies.find(({ value }) => value === policyId)?.label ?? policyId;
  return (
    <Facts
      of={{
        Item: item === null ? NO_ITEM[of.outcome] : item.title,
        Collection:
          collection === null ? (
            'none'
          ) : (
            <>
              {collection.name} {collection.id === tried.id && <Chip tone="allowed">this one</Chip>}
            </>
          ),
        'Matched by': collection !== null && <MatchedBy of={collection} />,
        'This collection': collection?.id !== tried.id && of.outcome !== 'several_items' && why(of),
        Policy: policy !== null && policy,
      }}
    />
  );
}

const NO_ITEM = {
  item: '',
  collection: 'none is registered there',
  nothing: 'none is registered there',
  several_items: 'several are registered there, so none is chosen',
} as const;

const UNMATCHED = {
  hosts: 'none of its hosts matches',
  paths: 'none of its paths matches',
  contentTypes: 'it is for registered items of other types',
  contentTags: 'it is for registered items with other tags',
} as const;

/** Returns the reason why the tried collection does not decide. */
function why({ tried, runnersUp }: Tried): string {
  if (tried.unmatched.length > 0) {
    return `does not match: ${tried.unmatched.map((name) => UNMATCHED[name]).join(', and ')}`;
  }
  const lostBy = runnersUp.find(({ id }) => id === tried.id)?.lostBy;
  return lostBy === undefined ? 'matches; others are more specific' : `matches, but ${LOST[lostBy]}`;
}
