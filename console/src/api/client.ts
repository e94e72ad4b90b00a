/**
 * The API through the client's transport: every operation by its method and path. The browser adds the session; the
 * header marks the request as the console's own.
 */
import { fillPath, queryText } from '../../../client/src/address.ts';
import { PosternError } from '../../../client/src/errors.ts';
import type { OPERATIONS } from '../../../client/src/generated/operations.ts';
import { connect } from '../../../client/src/transport.ts';
import type * as client from '../../../client/src/types.ts';

export { PosternError, PosternUnreachable } from '../../../client/src/errors.ts';

/** The operations by address. Addresses are typed, so a visit does not load the table that maps names to them. */
type Addresses = {
  [K in client.OperationName]: `${(typeof OPERATIONS)[K]['method']} ${(typeof OPERATIONS)[K]['path']}`;
};
export type Operation = Addresses[client.OperationName];
type NameOf<O extends Operation> = {
  [K in client.OperationName]: Addresses[K] extends O ? K : never;
}[client.OperationName];

export type Answer<O extends Operation> = client.Answered<NameOf<O>>;
export type Body<O extends Operation> = client.Body<NameOf<O>>;
export type Query<O extends Operation> = client.Query<NameOf<O>>;
/** A record of a list. */
export type Row<O extends Operation> = Answer<O> extends { data: (infer R)[] } ? R : never;

export interface Args<O extends Operation> extends Pick<client.CallOptions, 'idempotencyKey' | 'ifMatch' | 'signal'> {
  path?: Record<string, string | number>;
  query?: Query<O>;
  body?: Body<O>;
}

/** Reports and previews over many decisions take longer than other answers. */
const TIMEOUT_MS = 60_000;

const connection = connect({
  headers: { 'x-postern-console': '1' },
  timeoutMs: TIMEOUT_MS,
});
const signedOut = new Set<() => void>();

/** Calls `listener` when the session has ended, until the function that it returns is called. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Throws PosternError and PosternUnreachable. */
export async function call<O extends Operation>(operation: O, args: Args<O> = {}): Promise<Answer<O>> {
  return (await callTagged(operation, args)).answer;
}

/** An answer with the ETag of the record's state. */
export interface Tagged<T> {
  answer: T;
  etag: string | null;
}

/** The same, for edits that must find the state that was read. */
export async function callTagged<O extends Operation>(operation: O, args: Args<O> = {}): Promise<Tagged<Answer<O>>> {
  const { body, ...options } = args;
  const sent = connection.send({ ...toMethodAndPath(operation, args), body }, options);
  const { text, headers } = await noticeEnd(sent);
  return { answer: JSON.parse(text) as Answer<O>, etag: headers.get('etag') };
}

/** Opens an answer as a file in the format `accept`. Throws as `call` does. */
export const open = <O extends Operation>(operation: O, args: Args<O>, accept: string): Promise<Response> =>
  noticeEnd(connection.open({ ...toMethodAndPath(operation, args), accept }));

async function noticeEnd<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PosternError && error.status === 401) for (const listener of signedOut) listener();
    throw error;
  }
}

export interface Session {
  /** null for a user. */
  key: { id: string; name: string; type: 'secret' | 'public'; permissions: string[] } | null;
  /** null for a key. */
  user: Row<'GET /v1/users'> | null;
  /** With those that the key's own imply. */
  permissions: string[];
  /** Its checks are not recorded, and it tries no rules of its own. */
  readOnly: boolean;
  expiresAt: string;
}

/** Signs in (POST) or out (DELETE), or reads who is signed in. */
export async function callSession(
  method: 'GET' | 'POST' | 'DELETE',
  body?: { key: string } | { link: string },
): Promise<Session> {
  const answer = await connection.send({ method, path: '/console/session', body }, { idempotencyKey: false });
  return JSON.parse(answer.text) as Session;
}

/** Returns the host of the sign-in provider; null without one. */
export async function readProvider(): Promise<string | null> {
  const { text } = await connection.send({ method: 'GET', path: '/console/sign-in' });
  return (JSON.parse(text) as { provider: string | null }).provider;
}

/** Returns the provider's page. It sends the browser back to `to`, a path of the console. */
export async function beginSignIn(to: string): Promise<string> {
  const options = { idempotencyKey: false } as const;
  const { text } = await connection.send({ method: 'POST', path: '/console/oidc', body: { to } }, options);
  return (JSON.parse(text) as { url: string }).url;
}

/** The method and the path of a request, with its query. Empty values are left out. */
export function toMethodAndPath(
  operation: Operation,
  { path = {}, query = {} }: { path?: Record<string, string | number>; query?: object },
): { method: string; path: string } {
  const [method = '', template = ''] = operation.split(' ');
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return { method, path: fillPath(template, (name) => path[name]) + queryText(Object.fromEntries(given)) };
}
