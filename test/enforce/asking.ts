/** Support for the tests of enforcement: sends requests as a proxy does, and reads the decisions recorded since. */
import assert from 'node:assert/strict';
import type { Answer } from '../../kit/answer.ts';
import type { TestService } from '../../kit/service.ts';
import { made, wire } from '../http/given.ts';

export const ORIGIN = 'https://site.example';

export interface Asked {
  method?: string;
  /** Path of our own endpoint, with its query. */
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** A visitor's request for `target`, as a proxy asks about it; `Authorization` is the visitor's. */
export function authorize(postern: TestService, target: string | null, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', path = `/v1/authorize?origin=${ORIGIN}`, headers = {}, body } = asked;
  return wire(postern, method, path, {
    headers: {
      authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=',
      'x-postern-key': postern.key,
      ...(target === null ? {} : { 'x-original-uri': target }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** An answer without a decision: refused, and why. */
export function assertRefused(answer: Answer, why: string, what = ''): void {
  assert.deepEqual(
    [answer.status, answer.headers.get('x-postern-allowed'), answer.headers.get('x-postern-error'), answer.text],
    [403, 'false', why, ''],
    what,
  );
}

/** Reads the decision that an answer names from the log. */
export async function recorded(postern: TestService, answer: Answer): Promise<Record<string, unknown>> {
  const id = answer.headers.get('x-postern-decision');
  assert.ok(id !== null, 'a recorded decision');
  const found = await postern.call('GET', `/v1/access/decisions/${id}`);
  assert.equal(found.status, 200, found.text);
  return found.body as Record<string, unknown>;
}

export async function decisions(postern: TestService): Promise<number> {
  return (await postern.call('GET', '/v1/access/decisions?limit=1')).body.totalCount as number;
}

let count = 0;

/** Creates an item that is served at a path of the site. */
export function serve(postern: TestService, path: string, policyId: string, more: object = {}): Promise<any> {
  return made(postern, '/v1/content', {
    externalId: `served ${++count} ${path}`,
    title: path,
    type: 'article',
    source: ORIGIN + path,
    policyId,
    ...more,
  });
}
