/** An offer as the list has it. */
import type { Row } from '../api/client.ts';

export type Offer = Row<'GET /v1/offers'>;
