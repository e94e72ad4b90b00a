/** Types and words that the pages of crawlers share. */
import type { Row } from '../api/client.ts';

export type Crawler = Row<'GET /v1/crawlers'>;
export type Identity = Crawler['identities'][number];

export const PURPOSES: Record<Crawler['purpose'], string> = {
  training: 'Training',
  search: 'Search',
  user_fetch: 'Fetching for a person',
  index: 'Index',
  preview: 'Link previews',
  monitoring: 'Monitoring',
  other: 'Other',
};

export const PROOFS: Record<Identity['kind'], string> = {
  ip: 'its addresses',
  dns: 'its host name',
  signature: 'its signature',
};
