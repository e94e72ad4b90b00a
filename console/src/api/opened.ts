/**
 * Edits of what a form showed when it was opened. The page behind the form reads the record again and again, so the
 * form keeps its own. And what a form that creates a record has to find first: nothing.
 */
import { useState } from 'react';
import { type Answer, type Args, call, callTagged, PosternError } from './client.ts';

/** Returns the record as it was when the component appeared. */
export const useOpened = <T>(record: T): T => useState(record)[0];

type Read =
  | 'GET /v1/content/{id}'
  | 'GET /v1/licenses/{id}'
  | 'GET /v1/offers/{licenseType}'
  | 'GET /v1/requesters/{id}';

/**
 * Returns the ETag of a record that is still as it was read: an edit with it overwrites none that was made in between.
 * Throws a PosternError, 412 if the record has changed.
 */
export async function tagOf<R extends Read>(operation: R, args: Args<R>, read: { updated: string }): Promise<string> {
  const { answer, etag } = await callTagged(operation, args);
  if ((answer as typeof read).updated === read.updated && etag !== null) return etag;
  throw new PosternError(412, { code: 'precondition_failed', message: 'The record has changed.' });
}

/** Returns the record, or undefined where there is none: a form that creates it would replace what is there. */
export async function findRecord<O extends Read | 'GET /v1/sites/{host}'>(
  operation: O,
  args: Args<O>,
): Promise<Answer<O> | undefined> {
  try {
    return await call(operation, args);
  } catch (error) {
    if (error instanceof PosternError && error.status === 404) return undefined;
    throw error;
  }
}
