/** Invented customers, with their licenses and what they request. */
import type { Postern } from '../client/src/client.ts';
import { PosternError } from '../client/src/errors.ts';
import type { Listed } from './catalog.ts';

const DAY_MS = 86_400_000;

export interface Partner {
  id: string;
  name: string;
  type: string;
  country: string;
  userAgent: string;
  license: { type: string; features?: string[]; days: number };
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
    license: { type: 'enterprise', features: ['training'], days: 200 },
    wants: { types: ['article'], purpose: 'training', permission: 'training' },
    weight: 30,
  },
  {
    id: 'partner:quillbase',
    name: 'Quillbase',
    type: 'ai_company',
    country: 'GB',
    userAgent: 'Quillbase/1.8',
    license: { type: 'assistant', days: 90 },
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
    license: { type: 'media', days: 30 },
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
    const { days, ...terms } = license;
    try {
      await postern.createRequester({ id, name, type, tags: ['customer'] });
    } catch (error) {
      if (error instanceof PosternError && error.code === 'requester_exists') continue;
      throw error;
    }
    await postern.createLicense({
      requesterId: id,
      ...terms,
      startsAt: new Date(now - 300 * DAY_MS).toISOString(),
      expiresAt: new Date(now + days * DAY_MS).toISOString(),
    });
  }
}
