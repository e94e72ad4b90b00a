/** Customers, all invented: who they are, what they hold, what they ask for. */
import { type Api, ApiError } from './api.ts';
import type { Listed } from './catalogue.ts';

const DAY_MS = 86_400_000;

export interface Partner {
  id: string;
  name: string;
  type: string;
  license: { type: string; features?: string[]; days: number };
  wants: { types: Listed['item']['type'][]; purpose?: string; permission?: string };
  weight: number;
}

/** Customers, all invented. `days`: how long their licence still runs; one has run out. */
export const PARTNERS: readonly Partner[] = [
  {
    id: 'partner:halcyon-ai',
    name: 'Halcyon AI',
    type: 'ai_company',
    license: { type: 'enterprise', features: ['training'], days: 200 },
    wants: { types: ['article'], purpose: 'training', permission: 'training' },
    weight: 30,
  },
  {
    id: 'partner:quillbase',
    name: 'Quillbase',
    type: 'ai_company',
    license: { type: 'assistant', days: 90 },
    wants: { types: ['article'], purpose: 'inference', permission: 'inference' },
    weight: 26,
  },
  {
    id: 'partner:lapwing-labs',
    name: 'Lapwing Labs',
    type: 'ai_company',
    license: { type: 'enterprise', days: -11 },
    wants: { types: ['article'], purpose: 'training', permission: 'training' },
    weight: 18,
  },
  {
    id: 'agency:brightframe',
    name: 'Brightframe',
    type: 'agency',
    license: { type: 'media', days: 30 },
    wants: { types: ['image'], purpose: 'design', permission: 'commercial_use' },
    weight: 12,
  },
  {
    id: 'university:ridgeway',
    name: 'Ridgeway University',
    type: 'university',
    license: { type: 'research', days: 400 },
    wants: { types: ['dataset'], purpose: 'research', permission: 'full_access' },
    weight: 8,
  },
  {
    id: 'institute:north-fjord',
    name: 'North Fjord Institute',
    type: 'institute',
    license: { type: 'research', days: 60 },
    wants: { types: ['dataset', 'article'], purpose: 'training', permission: 'training' },
    weight: 6,
  },
];

/** Registers them with the licences they hold. Done again, it changes nothing. */
export async function registerPartners(api: Api): Promise<void> {
  const now = Date.now();
  for (const { id, name, type, license } of PARTNERS) {
    const { days, ...terms } = license;
    try {
      await api.send('POST', '/v1/requesters', { id, name, type, tags: ['customer'] });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'requester_exists') continue;
      throw error;
    }
    await api.send('POST', '/v1/licenses', {
      requesterId: id,
      ...terms,
      startsAt: new Date(now - 300 * DAY_MS).toISOString(),
      expiresAt: new Date(now + days * DAY_MS).toISOString(),
    });
  }
}
