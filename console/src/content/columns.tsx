/** The columns of a list of items. */
import { Link } from 'wouter';
import type { Row } from '../api/client.ts';
import { PolicyOf } from '../collections/names.tsx';
import type { Column } from '../parts/list.tsx';
import { Chip, Tags, Time } from '../parts/show.tsx';

export const COLUMNS: readonly Column<Row<'GET /v1/content'>>[] = [
  {
    label: 'Title',
    show: ({ id, title, externalId }) => (
      <>
        <Link href={`/content/${id}`}>{title}</Link>
        <span className="under">{externalId}</span>
      </>
    ),
  },
  { label: 'Type', narrow: true, show: ({ type }) => type },
  { label: 'Policy', show: (item) => <PolicyOf of={item} /> },
  { label: 'Tags', show: ({ tags }) => <Tags of={tags.slice(0, 4)} /> },
  {
    label: 'Status',
    narrow: true,
    show: ({ status }) => <Chip tone={status === 'active' ? 'allowed' : undefined}>{status}</Chip>,
  },
  { label: 'Updated', narrow: true, show: ({ updated }) => <Time at={updated} /> },
];
