/** The table `offers`; rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import type { Offer } from './offer.ts';

/** Bounds what checks keep in memory. */
export const OFFERS_MAX = 1_000;

const OFFER = columns<Offer>({
  no: 'generated',
  id: 'fixed',
  licenseType: 'fixed',
  collectionId: 'fixed',
  features: 'json',
  unit: 'plain',
  unitPriceMicros: 'plain',
  currency: 'plain',
  contact: 'plain',
  url: 'plain',
  validUntil: 'plain',
  x402: 'json',
  revision: 'plain',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

/** `collectionId`: empty for everywhere. */
export async function findOffer(db: Db, licenseType: string, collectionId: string): Promise<Offer | undefined> {
  const [row] = await db.read(`select ${OFFER.list} from offers where license_type = $1 and collection_id = $2`, [
    licenseType,
    collectionId,
  ]);
  return row && OFFER.toRecord(row);
}

export async function findAllOffers(db: Db): Promise<Offer[]> {
  return (await db.read(`select ${OFFER.list} from offers order by no`)).map(OFFER.toRecord);
}

export interface OfferQuery extends PageQuery {
  licenseType?: string;
  collectionId?: string;
}

export const listOffers = (db: Db, query: OfferQuery): Promise<Page<Offer>> =>
  readPage(
    db,
    {
      select: OFFER.list,
      from: 'offers',
      where: new Where().and('license_type = ?', query.licenseType).and('collection_id = ?', query.collectionId),
      order: 'no',
      form: SEQ_FORM,
      toRecord: OFFER.toRecord,
    },
    query,
  );

/** A Conflict when there are too many, or the collection was deleted. */
const insertRow = OFFER.step(
  `insert into offers ({columns}) select {values}
   where (select count(*) from offers) < ${OFFERS_MAX}
     and (:collectionId = '' or exists (select 1 from collections where id = :collectionId))`,
  1,
);
const updateRow = OFFER.step('update offers set {changes} where id = :id and revision = :revision - 1', 1);

export const insertOffer = (offer: Offer): Step => insertRow(offer);

/** A Conflict unless the stored revision is the one before. */
export const updateOffer = (offer: Offer): Step => updateRow(offer);

/** A Conflict when it was edited since it was read. */
export const deleteOffer = ({ id, revision }: Offer): Step => ({
  sql: 'delete from offers where id = $1 and revision = $2',
  params: [id, revision],
  expect: 1,
});

export async function countOffers(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>('select count(*) as n from offers');
  return Number(row?.n ?? 0);
}
