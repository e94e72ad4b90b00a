/** The items and collections that a partner or bot may have now. */
import { Select } from '@mantine/core';
import { Link } from 'wouter';
import type { Row } from '../api/client.ts';
import { useCollectionChoices } from '../collections/names.tsx';
import type { Column } from '../parts/list.tsx';
import { useMay, useMayInSecret } from '../shell/session.tsx';
import { GRANTED, GRANTED_CELLS, Listing, type Stated } from './listing.tsx';

type Reached = Row<'GET /v1/requesters/{id}/reach'>;

const COLUMNS: readonly Column<Reached>[] = [
  {
    label: 'Item',
    show: ({ contentId, collectionId, title, externalId }) =>
      contentId === null ? (
        <>
          <Link href={`/collections/${collectionId}`}>{title}</Link>
          <span className="under">all its pages that are no items</span>
        </>
      ) : (
        <>
          <Link href={`/content/${contentId}`}>{title}</Link>
          <span className="under two-lines">{externalId}</span>
        </>
      ),
  },
  ...GRANTED,
];

const CELLS = {
  item: ({ externalId }: Reached) => externalId,
  title: ({ title }: Reached) => title,
  source: ({ source }: Reached) => source,
  collection: ({ collectionId }: Reached) => collectionId,
  ...GRANTED_CELLS,
};

export function Reach({ requesterId }: { requesterId: string }) {
  const mayReadContent = useMay('content:read');
  if (!useMayInSecret('policies:read') || !mayReadContent) return null;
  return (
    <Listing
      of="GET /v1/requesters/{id}/reach"
      id={requesterId}
      title="What it may have"
      lead="What your rules and its licenses allow now. Limits and quotas are left out."
      columns={COLUMNS}
      idOf={({ contentId, collectionId }) => contentId ?? collectionId ?? ''}
      cells={CELLS}
      file="reach.csv"
      filters={(stated, set) => <InCollection stated={stated} onChosen={(collectionId) => set({ collectionId })} />}
    />
  );
}

function InCollection({ stated, onChosen }: { stated: Stated; onChosen: (id: string) => void }) {
  const choices = useCollectionChoices();
  if (choices.length === 0) return null;
  return (
    <Select
      aria-label="Collection"
      placeholder="Any collection"
      data={choices}
      value={stated.collectionId ?? null}
      onChange={(id) => onChosen(id ?? '')}
      clearable
      searchable
      w={200}
    />
  );
}
