/** The client: a method for every operation, made from the generated table. */
import { fillPath, queryText } from './address.ts';
import { baseOf, type Incoming, isWord, toError } from './edge/attempt.ts';
import { follow } from './events.ts';
import { OPERATIONS } from './generated/operations.ts';
import { paged } from './pages.ts';
import { type Connection, type ConnectionOptions, connect } from './transport.ts';
import type { CallOptions, OperationName, Operations } from './types.ts';

export interface Meta {
  status: number;
  requestId: string | null;
  /** For `ifMatch`. */
  etag: string | null;
  /** True if an earlier request with the same idempotency key had taken effect. */
  replayed: boolean;
}

/** Keyed by the answers, so that answers stay as the service sent them. */
const metas = new WeakMap<object, Meta>();

/** Returns the metadata of an answer; undefined for any other object. */
export const metaOf = (answer: object): Meta | undefined => metas.get(answer);

export type Postern = Operations & {
  /** Opens an answer that has no method, such as the decision log as CSV. Throws as the methods do. */
  open(
    path: string,
    init?: { method?: string; body?: unknown; accept?: string },
    options?: CallOptions,
  ): Promise<Response>;
};

const FORM = 'application/x-www-form-urlencoded';

/** A row of the table. */
interface Operation {
  method: string;
  path: string;
  answers: 'json' | 'pages' | 'events' | 'text' | 'verdict';
  takesBody?: true;
  /** Its body is sent as a form, as OAuth has it. */
  takesForm?: true;
  takesQuery?: true;
}

/** Throws TypeError for an invalid URL or key. */
export function createPostern(options: ConnectionOptions): Postern {
  if (!isWord(options.key)) throw new TypeError('An API key is needed: `key`, which is one word');
  // Without an address, the transport would ask the origin of a page.
  const connection = connect({ ...options, url: baseOf(options.url) });
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
  const path = fillPath(operation.path, () => rest.shift());
  const given = operation.takesBody === true ? rest.shift() : undefined;
  const query = operation.takesQuery === true ? (rest.shift() as Record<string, unknown> | undefined) : undefined;
  const own = rest.shift() as CallOptions | undefined;
  const isForm = operation.takesForm === true;
  const body = isForm ? new URLSearchParams(given as Record<string, string>).toString() : given;
  const call = isForm ? { ...own, headers: { 'content-type': FORM, ...own?.headers } } : own;
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
  // A refusal of the request itself has the same statuses, but not this header.
  const allowed = answer.headers.get('x-postern-allowed');
  if (allowed === null) throw toError(answer);
  return { allowed: allowed === 'true' && answer.status === 200, status: answer.status, headers: answer.headers };
}
