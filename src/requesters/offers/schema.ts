/** Offers on the wire. */
import { type Static, Type } from 'typebox';
import { deletedSchema, listSchema, pageProperties } from '../../api/http/list.ts';
import { toIso } from '../../lib/clock.ts';
import { partial, pick } from '../../lib/fields.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { FIELDS, type Offer, UNITS } from './offer.ts';

export const PutOffer = Type.Object(partial(FIELDS), {
  additionalProperties: false,
  title: 'PutOffer',
  description: 'With a price, a `contact` or a `url`. A field that is left out has its default.',
});
export type PutOffer = Static<typeof PutOffer>;

const collectionId = Type.String({ minLength: 1, maxLength: 64 });

/** With the license type in the path, the name of an offer. */
export const OfferQuery = Type.Object(
  {
    collectionId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The offer for this collection; else the one for everywhere',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ListOffersQuery = Type.Object(
  {
    ...pageProperties,
    licenseType: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    collectionId: Type.Optional(collectionId),
  },
  { additionalProperties: false },
);

export const OfferAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('offer'),
    licenseType: Type.String(),
    collectionId: textOrNull('null: everywhere'),
    ...FIELDS,
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'Offer', description: 'What a license of a type costs, and how to get one' },
);
export const OfferPage = listSchema(OfferAnswer);
export const OfferDeleted = deletedSchema('offer');

export const offerAnswer = (offer: Offer) => ({
  id: offer.id,
  object: 'offer' as const,
  licenseType: offer.licenseType,
  collectionId: offer.collectionId === '' ? null : offer.collectionId,
  ...pick(offer, FIELDS),
  created: toIso(offer.createdAt),
  updated: toIso(offer.updatedAt),
});

/** The ETag of an offer is its revision. */
export const offerEtag = ({ id, revision }: Pick<Offer, 'id' | 'revision'>): string => `"${id}-${revision}"`;

/** An offer in a remedy. */
export const OfferedSchema = Type.Object(
  {
    licenseType: Type.String(),
    features: Type.Array(Type.String(), { description: 'The features that such a license has' }),
    unit: Type.Enum([...UNITS]),
    unitPriceMicros: Type.Optional(Type.Integer({ description: 'In 1/1,000,000 of the currency; absent: on request' })),
    currency: Type.Optional(Type.String()),
    contact: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    validUntil: Type.Optional(Type.String()),
    x402: Type.Optional(
      Type.Object(
        {
          scheme: Type.String(),
          network: Type.String(),
          amount: Type.String(),
          asset: Type.String(),
          payTo: Type.String(),
          maxTimeoutSeconds: Type.Integer(),
          extra: Type.Optional(
            Type.Object({ name: Type.Optional(Type.String()), version: Type.Optional(Type.String()) }),
          ),
        },
        { description: 'An entry of `accepts` in x402 version 2' },
      ),
    ),
  },
  { title: 'Offered', description: 'An offer as visitors see it' },
);
