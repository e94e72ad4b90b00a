/** The partners and bots that may have an item, or the pages of a collection, now. */
import type { Answer, Row } from '../api/client.ts';
import type { Column } from '../parts/list.tsx';
import { Chip, RequesterLink } from '../parts/show.tsx';
import { permissionName } from '../policies/permissions.ts';
import { useMay, useMayInSecret } from '../shell/session.tsx';
import { GRANTED, GRANTED_CELLS, Listing } from './listing.tsx';

type ReadersOperation = 'GET /v1/content/{id}/readers' | 'GET /v1/collections/{id}/readers';
type Reader = Row<ReadersOperation>;

const COLUMNS: readonly Column<Reader>[] = [
  {
    label: 'Who',
    show: ({ requesterId, name }) => (
      <>
        <RequesterLink id={requesterId} name={name ?? requesterId} />
        {name === null ? (
          <Chip>not in your list</Chip>
        ) : (
          name !== requesterId && <span className="under">{requesterId}</span>
        )}
      </>
    ),
  },
  ...GRANTED,
];

const CELLS = {
  requester: ({ requesterId }: Reader) => requesterId,
  name: ({ name }: Reader) => name,
  ...GRANTED_CELLS,
};

interface ReadersProps {
  of: ReadersOperation;
  id: string;
  lead: string;
}

export function Readers({ of, id, lead }: ReadersProps) {
  const mayReadContent = useMay('content:read');
  if (!useMayInSecret('policies:read') || !mayReadContent) return null;
  return (
    <Listing
      of={of}
      id={id}
      title="Who may have it"
      lead={lead}
      columns={COLUMNS}
      idOf={({ requesterId }) => requesterId}
      cells={CELLS}
      file="readers.csv"
      above={(answer) => <Everybody of={answer.anonymous} />}
    />
  );
}

function Everybody({ of: { allowed, permissions } }: { of: Answer<ReadersOperation>['anonymous'] }) {
  if (!allowed) return null;
  return (
    <p className="small">
      Everybody may have it, also without a name: {permissions.map(permissionName).join(', ') || 'no permission'}.
    </p>
  );
}
