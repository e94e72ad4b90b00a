/** Types and columns that the statement pages share. */
import type { Row } from '../api/client.ts';
import type { Outcome } from '../parts/show.tsx';

export type Statement = Row<'GET /v1/statements'>;
export type Line = Statement['lines'][number];

export const STATES: Record<Statement['status'], { word: string; tone: Outcome | undefined }> = {
  running: { word: 'running', tone: undefined },
  open: { word: 'to be made final', tone: 'limited' },
  final: { word: 'final', tone: 'allowed' },
};
