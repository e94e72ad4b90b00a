/** Types and constants that the content pages share. */
import type { Answer } from '../api/client.ts';

export type Item = Answer<'GET /v1/content/{id}'>;
