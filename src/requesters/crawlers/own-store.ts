/** The table `own_crawlers`; rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { columns } from '../../db/record.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';

/** Bounds what every look-up keeps in memory. */
export const OWN_CRAWLERS_MAX = 1_000;

/** An entry of the crawler directory that the publisher added. */
export interface OwnCrawler extends Pick<Crawler, 'name' | 'operator' | 'purpose' | 'identities' | 'url'> {
  /** Its token in lowercase. */
  id: string;
  token: string;
  createdAt: number;
}

const OWN = columns<OwnCrawler>({
  id: 'fixed',
  token: 'fixed',
  name: 'fixed',
  operator: 'fixed',
  purpose: 'fixed',
  identities: 'json',
  url: 'fixed',
  createdAt: 'fixed',
});

/** In the order in which they were added. */
export async function findOwnCrawlers(db: Db): Promise<OwnCrawler[]> {
  return (await db.read(`select ${OWN.list} from own_crawlers order by created_at, id`)).map(OWN.toRecord);
}

/** A Conflict when there are too many, or another has its name. */
export const insertOwnCrawler = OWN.step(
  `insert into own_crawlers ({columns}) select {values}
   where (select count(*) from own_crawlers) < ${OWN_CRAWLERS_MAX}
     and not exists (select 1 from own_crawlers where lower(name) = lower(:name))
   on conflict do nothing`,
  1,
);

/** A Conflict when it is not there. */
export const deleteOwnCrawler = (id: string): Step => ({
  sql: 'delete from own_crawlers where id = $1',
  params: [id],
  expect: 1,
});
