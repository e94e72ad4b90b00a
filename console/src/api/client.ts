/**
 * The API, typed: every operation by its method and path. The browser adds the session; the header says that the request is
 * the console's own.
 */
import type { Operations } from './operations.ts';

export type Operation = keyof Operations;
export type Answer<O extends Operation> = Operations[O]['answer'];
export type Body<O extends Operation> = Operations[O]['body'];
export type Query<O extends Operation> = Operations[O]['query'];
/** One record of a list. */
export type Row<O extends Operation> = Answer<O> extends { data: (infer R)[] } ? R : never;

export interface Args<O extends Operation> {
  path?: Record<string, string | number>;
  query?: Query<O>;
  body?: Body<O>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** What the service refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly details: readonly { param: string | null; message: string }[];
  readonly requestId: string | undefined;

  constructor(status: number, error: Record<string, never>) {
    super(error.message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = error.code ?? 'unreachable';
    this.param = error.param;
    this.details = error.details ?? [];
    this.requestId = error.requestId;
  }
}

const OWN = { 'x-postern-console': '1' };
const listeners = new Set<() => void>();

/** Tells when the session has ended. Returns what stops telling. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Throws ApiError. */
export async function call<O extends Operation>(operation: O, args: Args<O> = {}): Promise<Answer<O>> {
  const answer = await fetchOperation(operation, args);
  return (await answer.json()) as Answer<O>;
}

/** The answer as it came: for files. Throws ApiError. */
export async function fetchOperation<O extends Operation>(operation: O, args: Args<O> = {}): Promise<Response> {
  const { method, path } = addressOf(operation, args);
  return send(method, path, args.body, args);
}

/** Signs in, out, or asks who is signed in. */
export async function callSession(method: 'GET' | 'POST' | 'DELETE', body?: { key: string }): Promise<Session> {
  return (await send(method, '/console/session', body, {})).json() as Promise<Session>;
}

export interface Session {
  key: { id: string; name: string; type: 'secret' | 'public'; permissions: string[] };
  expiresAt: string;
}

interface Sending {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function send(method: string, path: string, body: unknown, { headers, signal }: Sending): Promise<Response> {
  const answer = await fetch(path, {
    method,
    headers: { ...OWN, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, { message: 'The service cannot be reached. Is it running?' } as never);
  });
  if (answer.ok) return answer;
  const failed = (await answer.json().catch(() => ({}))) as { error?: Record<string, never> };
  const error = new ApiError(answer.status, failed.error ?? {});
  if (answer.status === 401 && path !== '/console/session') for (const listener of listeners) listener();
  throw error;
}

/** `GET /v1/content/{id}` and its arguments as what is asked for. */
export function addressOf(
  operation: string,
  args: { path?: object; query?: object },
): { method: string; path: string } {
  const [method = '', template = ''] = operation.split(' ');
  const values = (args.path ?? {}) as Record<string, string | number>;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return { method, path: query.size === 0 ? path : `${path}?${query}` };
}
