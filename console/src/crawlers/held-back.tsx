/** A published list that is held back because it shrank by more than half, and a way to accept it. */
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { notify } from '../parts/notices.tsx';
import { pluralize } from '../parts/plural.ts';
import { Time } from '../parts/show.tsx';

interface HeldBackProps {
  url: string;
  /** Ranges that count now. */
  ranges: number;
  held: { ranges: number; since: string };
}

export function HeldBack({ url, ranges, held }: HeldBackProps) {
  const write = useWrite();
  const [asking, setAsking] = useState(false);
  const offered = pluralize(held.ranges, 'range');
  return (
    <span className="under">
      A new list with {offered} is held back, first seen <Time at={held.since} />.{' '}
      <MayButton permission="requesters:write" size="compact-xs" variant="subtle" onClick={() => setAsking(true)}>
        Accept…
      </MayButton>
      {asking && (
        <Confirm
          title="Accept the new list?"
          action="Accept list"
          onClose={() => setAsking(false)}
          onConfirm={() =>
            write('POST /v1/identity-lists/accept', { body: { url } }).then((list) =>
              notify(`The list counts from now on: ${pluralize(list.ranges, 'range')}.`),
            )
          }
        >
          {url} shrank from {pluralize(ranges, 'range')} to {offered}. Visitors whose address is no longer in it are
          then denied as false names. Accept it only if its operator published it.
        </Confirm>
      )}
    </span>
  );
}
