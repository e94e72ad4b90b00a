/**
 * Edits of what a form showed when it was opened. The page behind the form reads the record again and again, so the
 * form keeps its own.
 */
import { useState } from 'react';
import { callTagged, PosternError } from './client.ts';

/** Returns the record as it was when the component appeared. */
export const useOpened = <T>(record: T): T => useState(record)[0];

/** Returns the ETag of a record that is still as it was read. Throws a PosternError, 412 if it has changed. */
export async function tagOf(
  operation: 'GET /v1/requesters/{id}' | 'GET /v1/licenses/{id}',
  { id, updated }: { id: string; updated: string },
): Promise<string> {
  const { answer, etag } = await callTagged(operation, { path: { id } });
  if (answer.updated === updated && etag !== null) return etag;
  throw new PosternError(412, { code: 'precondition_failed', message: 'The record has changed.' });
}
