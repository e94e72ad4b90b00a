/** Says that a collection only observes, and enforces it once one has seen what that would deny. */
import { Alert } from '@mantine/core';
import { useState } from 'react';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { ZONE } from '../parts/days.ts';
import { notify } from '../parts/notices.tsx';
import { pluralize } from '../parts/plural.ts';
import { formatCount } from '../parts/show.tsx';
import { useMay } from '../shell/session.tsx';
import type { Collection } from './selectors.tsx';

export function Observing({ collection }: { collection: Collection }) {
  const [enforcing, setEnforcing] = useState(false);
  return (
    <Alert color="gray" title="Only observed">
      Decisions are recorded, and nothing is denied.{' '}
      <MayButton permission="content:write" size="compact-sm" variant="subtle" onClick={() => setEnforcing(true)}>
        Enforce…
      </MayButton>
      {enforcing && <Enforce collection={collection} onClose={() => setEnforcing(false)} />}
    </Alert>
  );
}

function Enforce({ collection: { id, name, version }, onClose }: { collection: Collection; onClose: () => void }) {
  const write = useWrite();
  return (
    <Confirm
      title={`Enforce the policy of ${name}?`}
      action="Enforce"
      onClose={onClose}
      onConfirm={async () => {
        await write('PATCH /v1/collections/{id}', {
          path: { id },
          ifMatch: `"${version}"`,
          body: { mode: 'enforce' },
        });
        notify('Enforced from the next request on.');
      }}
    >
      <Foreseen id={id} /> To observe again, edit the collection.
    </Confirm>
  );
}

/** Counts what the last 30 days would have denied. */
function Foreseen({ id }: { id: string }) {
  const may = useMay('analytics:read');
  const query = { collectionId: id, enforced: false, period: '30d', timezone: ZONE, limit: 1 } as const;
  const usage = useRead('GET /v1/analytics/usage', { query }, { enabled: may });
  if (usage.data === undefined) return null;
  const { totalRequests, denied } = usage.data.summary;
  return (
    <>
      In the last 30 days, {formatCount(denied)} of {pluralize(totalRequests, 'request')} would have been denied.
    </>
  );
}
