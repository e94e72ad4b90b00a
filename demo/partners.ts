/** Invented customers: their licenses and terms, what they request, what they ask for, and the price list. */
import { createPostern, type Postern } from '../client/src/client.ts';
import { PosternError } from '../client/src/errors.ts';
import type { Body } from '../client/src/types.ts';
import type { Listed } from './catalog.ts';

const DAY_MS = 86_400_000;

type Terms = NonNullable<Body<'createLicense'>['terms']>;

/** Terms by the month, in time zones of their own. */
const monthly = (terms: Pick<Terms, 'reference' | 'tiers'> & Partial<Terms>): Terms => ({
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  ...terms,
});

export interface Partner {
  id: string;
  name: string;
  type: string;
  country: string;
  userAgent: string;
  license: { type: string; features?: string[]; days: number; terms?: Terms };
  wants: { types: Listed['item']['type'][]; purpose?: string; permission?: string };
  weight: number;
}

/** `days`: the remaining time of the license; one has expired. */
export const PARTNERS: readonly Partner[] = [
  {
    id: 'partner:halcyon-ai',
    name: 'Halcyon AI',
    type: 'ai_company',
    country: 'US',
    userAgent: 'Halcyon-Ingest/3.2',
    license: {
      type: 'enterprise',
      features: ['training'],
      days: 200,
      terms: monthly({
        reference: 'Halcyon 2026',
        purposes: ['training'],
        tiers: [
          { upTo: 1_000, unitPriceMicros: 20_000 },
          { upTo: null, unitPriceMicros: 12_500 },
        ],
        minimumMicros: 25_000_000,
        quota: { units: 6_000, onExceed: 'allow' },
      }),
    },
    wants: { types: ['article'], purpose: 'training', permission: 'training' },
    weight: 30,
  },
  {
    id: 'partner:quillbase',
    name: 'Quillbase',
    type: 'ai_company',
    country: 'GB',
    userAgent: 'Quillbase/1.8',
    license: {
      type: 'assistant',
      days: 90,
      terms: monthly({
        reference: 'Quillbase answers',
        tiers: [{ upTo: null, unitPriceMicros: 5_000 }],
        flatMicros: 100_000_000,
        prorate: true,
        quota: { units: 4_000, onExceed: 'deny' },
      }),
    },
    wants: { types: ['article'], purpose: 'inference', permission: 'inference' },
    weight: 26,
  },
  {
    id: 'partner:lapwing-labs',
    name: 'Lapwing Labs',
    type: 'ai_company',
    country: 'CA',
    userAgent: 'Lapwing/0.9',
    license: { type: 'enterprise', days: -11 },
    wants: { types: ['article'], purpose: 'training', permission: 'training' },
    weight: 18,
  },
  {
    id: 'agency:brightframe',
    name: 'Brightframe',
    type: 'agency',
    country: 'NL',
    userAgent: 'Brightframe/5.1',
    license: {
      type: 'media',
      days: 30,
      terms: monthly({
        reference: 'Brightframe images',
        timezone: 'Europe/Amsterdam',
        unit: 'distinct_content',
        tiers: [{ upTo: null, unitPriceMicros: 250_000 }],
      }),
    },
    wants: { types: ['image'], purpose: 'design', permission: 'commercial_use' },
    weight: 12,
  },
  {
    id: 'university:ridgeway',
    name: 'Ridgeway University',
    type: 'university',
    country: 'GB',
    userAgent: 'Ridgeway-Library/2.4',
    license: { type: 'research', days: 400 },
    wants: { types: ['dataset'], purpose: 'research', permission: 'full_access' },
    weight: 8,
  },
  {
    id: 'institute:north-fjord',
    name: 'North Fjord Institute',
    type: 'institute',
    country: 'SE',
    userAgent: 'North-Fjord/1.0',
    license: { type: 'research', days: 60 },
    wants: { types: ['dataset', 'article'], purpose: 'training', permission: 'training' },
    weight: 6,
  },
];

/** Registers the partners with their licenses. Existing ones are left alone. */
export async function registerPartners(postern: Postern): Promise<void> {
  const now = Date.now();
  for (const { id, name, type, license } of PARTNERS) {
    const { days, ...fields } = license;
    try {
      await postern.createRequester({ id, name, type, tags: ['customer'] });
    } catch (error) {
      if (error instanceof PosternError && error.code === 'requester_exists') continue;
      throw error;
    }
    await postern.createLicense({
      requesterId: id,
      ...fields,
      startsAt: new Date(now - 300 * DAY_MS).toISOString(),
      expiresAt: new Date(now + days * DAY_MS).toISOString(),
    });
  }
  await putOffers(postern);
}

async function putOffers(postern: Postern): Promise<void> {
  const contact = 'licensing@harbor-times.example';
  const priced = { currency: 'EUR', contact } as const;
  await postern.putOffer('enterprise', {
    ...priced,
    unit: 'decision',
    unitPriceMicros: 20_000,
    features: ['training'],
  });
  await postern.putOffer('assistant', { ...priced, unit: 'month', unitPriceMicros: 100_000_000 });
  await postern.putOffer('archive', { ...priced, unit: 'year', unitPriceMicros: 1_200_000_000 });
  await postern.putOffer('research', { contact });
}

/** Sends requests for licenses as partners do, and answers two of them. */
export async function fillInbox(postern: Postern, url: string): Promise<void> {
  const archive = await Array.fromAsync(postern.listCollections({ q: 'archive', limit: 1 }));
  const collectionId = archive[0]?.id;
  const ask = async (partner: string, body: Body<'requestLicense'>): Promise<string> => {
    const { token = '' } = await postern.createRequesterToken(partner, { name: 'Their page' });
    return (await createPostern({ url, key: token }).requestLicense(body)).id;
  };
  const granted = await ask('university:ridgeway', { licenseType: 'research', note: 'Two more years, please.' });
  await postern.grantLicenseRequest(granted, { free: true, answer: 'With pleasure, for a year.' });
  const declined = await ask('agency:brightframe', { licenseType: 'resale', note: 'For our stock library.' });
  await postern.declineLicenseRequest(declined, { answer: 'We do not license resale.' });
  await ask('partner:lapwing-labs', { licenseType: 'enterprise', note: 'Our license ended. We would like to go on.' });
  await ask('partner:quillbase', {
    licenseType: 'archive',
    ...(collectionId === undefined ? {} : { collectionId }),
    note: 'About 40,000 pages a month, for answers with links.',
  });
}

/** Makes the statements of the last month final. */
export async function finalizeLastMonth(postern: Postern): Promise<void> {
  const month = new Date();
  month.setUTCDate(0);
  const statements = await Array.fromAsync(
    postern.listStatements({ period: month.toISOString().slice(0, 7), limit: 100 }),
  );
  for (const { id, status } of statements) if (status === 'open') await postern.finalizeStatement(id);
}
