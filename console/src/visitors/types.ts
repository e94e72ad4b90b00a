/** Types that the parts of the page about visitors share. */
import type { Answer, Query } from '../api/client.ts';

export type Report = Answer<'GET /v1/analytics/visitors'>;
export type VisitorsQuery = Query<'GET /v1/analytics/visitors'>;
export type Visitor = Report['visitors'][number];
