/** The client: a method for every operation of the API, made from the table that the service's own document gave. */
import { follow } from './events.ts';
import { OPERATIONS } from './generated/operations.ts';
import { paged } from './pages.ts';
import { type Connection, type ConnectionOptions, connect, type Incoming, toError } from './transport.ts';
import type { CallOptions, OperationName, Operations } from './types.ts';

export interface Meta {
  status: number;
  requestId: string | null;
  /** For `ifMatch`. */
  etag: string | null;
  /** It had been done before, under the same idempotency key. */
  replayed: boolean;
}

/** Keyed by the answers themselves, so that they stay what the service sent. */
const metas = new WeakMap<object, Meta>();

/** What came with an answer of the client; undefined for anything else. */
export const metaOf = (answer: object): Meta | undefined => metas.get(answer);

export type Postern = Operations & {
  /** For what no method does, such as the whole decision log as CSV. Throws as the methods do. */
  open(
    path: string,
    init?: { method?: string; body?: unknown; accept?: string },
    options?: CallOptions,
  ): Promise<Response>;
};

/** One row of the table. */
interface Operation {
  method: string;
  path: string;
  answers: 'json' | 'pages' | 'events' | 'text' | 'verdict';
  takesBody?: true;
  takesQuery?: true;
}

/** Throws TypeError for a URL that is none, or an empty key. */
export function createPostern(options: ConnectionOptions): Postern {
  if (typeof options.key !== 'string' || options.key === '') throw new TypeError('An API key is needed: `key`');
  const connection = connect(options);
  const client: Record<string, unknown> = {
    open: (
      path: string,
      { method = 'GET', body, accept }: { method?: string; body?: unknown; accept?: string } = {},
      call?: CallOptions,
    ) => connection.open({ method, path, body, ...(accept === undefined ? {} : { accept }) }, call),
  };
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    client[name] = (...args: unknown[]) => run(connection, OPERATIONS[name], args);
  }
  return client as Postern;
}

function run(connection: Connection, operation: Operation, args: unknown[]): unknown {
  const rest = [...args];
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathPart(name, rest.shift()));
  const body = operation.takesBody === true ? rest.shift() : undefined;
  const query = operation.takesQuery === true ? (rest.shift() as Record<string, unknown> | undefined) : undefined;
  const call = rest.shift() as CallOptions | undefined;
  const { method, answers } = operation;
  if (answers === 'pages') {
    return paged(async (cursor) => {
      const asked = cursor === undefined ? query : { ...query, cursor };
      return parsed(await connection.send({ method, path: path + queryText(asked) }, call)) as never;
    });
  }
  const target = path + queryText(query);
  if (answers === 'events') return follow(connection, target, call);
  if (answers === 'verdict') return authorize(connection, target, call);
  const sent = connection.send({ method, path: target, body, ...(answers === 'text' ? { accept: '*/*' } : {}) }, call);
  return sent.then((answer) => (answers === 'text' ? answer.text : parsed(answer)));
}

function parsed(answer: Incoming): unknown {
  let value: unknown;
  try {
    value = JSON.parse(answer.text);
  } catch {
    throw toError(answer);
  }
  if (typeof value === 'object' && value !== null) {
    metas.set(value, {
      status: answer.status,
      requestId: answer.headers.get('request-id'),
      etag: answer.headers.get('etag'),
      replayed: answer.headers.get('idempotent-replayed') === 'true',
    });
  }
  return value;
}

async function authorize(connection: Connection, path: string, call: CallOptions | undefined) {
  const request = { method: 'GET', path, keyHeader: 'x-postern-key', alsoFine: [401, 402, 403, 429] };
  const answer = await connection.send(request, call);
  // Refusals of our own question have the same statuses and do not say that.
  const allowed = answer.headers.get('x-postern-allowed');
  if (allowed === null) throw toError(answer);
  return { allowed: allowed === 'true' && answer.status === 200, status: answer.status, headers: answer.headers };
}

/** Throws TypeError for what a URL cannot carry: no text, or dots alone, which every URL parser takes for a step up. */
function pathPart(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') throw new TypeError(`\`${name}\` must be a text that is not empty`);
  if (text === '.' || text === '..')
    throw new TypeError(`\`${name}\` cannot be "${text}" in a path; look for its id in the list`);
  return encodeURIComponent(text);
}

function queryText(query: Record<string, unknown> | undefined): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}
