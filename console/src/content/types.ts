/** What the content pages share. */
import type { Answer } from '../api/client.ts';

export type Item = Answer<'GET /v1/content/{id}'>;

export const TYPES = ['article', 'report', 'image', 'dataset', 'video'] as const;
