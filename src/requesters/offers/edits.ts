/** Plans the edits of offers: what each one writes, announces and answers. */
import type { Edit } from '../../api/changes/change.ts';
import { toEdit } from '../../api/changes/edit.ts';
import { fail } from '../../api/errors.ts';
import { findCollection } from '../../content/collections/store.ts';
import type { Db } from '../../db/db.ts';
import { parseIso, toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/id.ts';
import { FIRST_VALUES, OFFER_PREFIX, type Offer, type OfferFields, toAmount } from './offer.ts';
import { offerAnswer, offerEtag, type PutOffer } from './schema.ts';
import { countOffers, deleteOffer, insertOffer, OFFERS_MAX, updateOffer } from './store.ts';

/** The license type, and the collection or an empty text: what names an offer. */
export interface OfferName {
  licenseType: string;
  collectionId: string;
}

export const offerNotFound = ({ licenseType, collectionId }: OfferName) =>
  fail(
    'offer_not_found',
    `There is no offer of a license of the type ${licenseType.slice(0, 64)}${
      collectionId === '' ? '' : ` for the collection ${collectionId}`
    }.`,
  );

/** Throws invalid_request. */
export async function planPut(
  db: Db,
  name: OfferName,
  { before, body, at }: { before: Offer | undefined; body: PutOffer; at: number },
): Promise<Edit> {
  const fields: OfferFields = { ...FIRST_VALUES, ...body };
  fields.features = [...new Set(fields.features)];
  if (fields.validUntil !== null) fields.validUntil = toIso(parseIso(fields.validUntil) ?? 0);
  requireComplete(fields);
  if (before !== undefined) return planUpdate(before, { ...before, ...fields }, at);
  await requireRoom(db, name);
  const offer = { ...fields, ...name, no: 0, id: newId(OFFER_PREFIX, at), revision: 1, createdAt: at, updatedAt: at };
  const answer = offerAnswer(offer);
  return {
    steps: [insertOffer(offer)],
    changes: [{ kind: 'offer.created', id: offer.id, object: answer }],
    status: 201,
    body: answer,
    etag: offerEtag(offer),
  };
}

function planUpdate(before: Offer, edited: Offer, at: number): Edit {
  const after = { ...edited, revision: before.revision + 1, updatedAt: Math.max(at, before.updatedAt + 1) };
  return toEdit(before, after, {
    steps: [updateOffer(after)],
    changes: [{ kind: 'offer.updated', id: after.id, object: offerAnswer(after), before: offerAnswer(before) }],
    answer: (offer) => ({ body: offerAnswer(offer), etag: offerEtag(offer) }),
  });
}

async function requireRoom(db: Db, { licenseType, collectionId }: OfferName): Promise<void> {
  if (licenseType === '' || licenseType.length > 64) {
    throw fail('invalid_request', 'The license type in the path must have 1–64 characters.', { param: 'licenseType' });
  }
  if (collectionId !== '' && (await findCollection(db, collectionId)) === undefined) {
    throw fail('invalid_request', `There is no collection with the id ${JSON.stringify(collectionId)}.`, {
      param: 'collectionId',
    });
  }
  if ((await countOffers(db)) >= OFFERS_MAX) {
    throw fail('invalid_request', `There are ${OFFERS_MAX} offers, which is the most; delete one first.`);
  }
}

/** Throws invalid_request for what the schema cannot express. */
function requireComplete({ unit, unitPriceMicros: price, currency, contact, url, x402 }: OfferFields): void {
  if ((price === null) !== (currency === null)) {
    throw fail('invalid_request', '`unitPriceMicros` and `currency` need each other.', {
      param: price === null ? 'unitPriceMicros' : 'currency',
    });
  }
  if (price === null && contact === null && url === null) {
    throw fail('invalid_request', 'An offer needs a price, a `contact` or a `url`.', { param: 'unitPriceMicros' });
  }
  if (x402 === null) return;
  if (price === null || unit !== 'decision') {
    throw fail('invalid_request', '`x402` needs a price with the unit `decision`.', { param: 'x402' });
  }
  if (toAmount(price, x402.decimals) === undefined) {
    throw fail('invalid_request', '`unitPriceMicros` must be a whole number of the token of `x402`, above zero.', {
      param: 'x402.decimals',
    });
  }
}

export const planDelete = (offer: Offer): Edit => ({
  steps: [deleteOffer(offer)],
  changes: [{ kind: 'offer.deleted', id: offer.id, object: offerAnswer(offer) }],
  status: 200,
  body: { id: offer.id, object: 'offer', deleted: true },
});
