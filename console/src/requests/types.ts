/** Types and words that the pages about requests share. */
import type { Row } from '../api/client.ts';
import type { Outcome } from '../parts/show.tsx';

export type LicenseRequest = Row<'GET /v1/license-requests'>;

export const REQUEST_STATES: Record<LicenseRequest['status'], { word: string; tone: Outcome | undefined }> = {
  open: { word: 'open', tone: 'limited' },
  granted: { word: 'granted', tone: 'allowed' },
  declined: { word: 'declined', tone: 'denied' },
};
