/** What goes in and out of every operation, derived from the schemas that the service validates with. */
import type { OPERATIONS } from './generated/operations.ts';
import type { components, operations } from './generated/schema.ts';

export type OperationName = keyof typeof OPERATIONS;
type Table = typeof OPERATIONS;

type QueryOf<K extends OperationName> = NonNullable<operations[K]['parameters']['query']>;

type JsonOf<R> = R extends { content: { 'application/json': infer Json } } ? Json : never;
type ResponsesOf<K extends OperationName> = operations[K]['responses'];
type AnsweredBy<R> = R extends { 200: infer Ok; 201: infer Created }
  ? JsonOf<Ok> | JsonOf<Created>
  : R extends { 200: infer Ok }
    ? JsonOf<Ok>
    : R extends { 201: infer Created }
      ? JsonOf<Created>
      : never;
type Described<K extends OperationName> = AnsweredBy<ResponsesOf<K>>;
type SentAs<O> = O extends { requestBody: { content: { 'application/json': infer Json } } }
  ? Json
  : O extends { requestBody?: { content: { 'application/json': infer Json } } }
    ? Json
    : never;

/** Lists whose entries are looked at one by one: the document says no more of them than that they are lists. */
interface Batches {
  checkAccessBatch: { checks: readonly SentAs<operations['checkAccess']>[] };
  bulkUpsertContent: { items: readonly SentAs<operations['createContent']>[] };
  bulkDeleteContent: { ids: readonly string[] };
}

/** The body that an operation takes. */
export type Body<K extends OperationName> = K extends keyof Batches ? Batches[K] : SentAs<operations[K]>;
/** The query that an operation takes. */
export type Query<K extends OperationName> = QueryOf<K>;
/** The body that an operation answers with. */
export type Answered<K extends OperationName> = K extends 'checkAccessBatch'
  ? Omit<Described<K>, 'data'> & { data: (Decision | { error: ApiError })[] }
  : [Described<K>] extends [never]
    ? unknown
    : Described<K>;

/** The `error` of a refusal; in a batch without the request's id. */
export type ApiError = Omit<components['schemas']['Error']['error'], 'requestId'> & { requestId?: string };
export type ErrorCode = components['schemas']['Error']['error']['code'];

export type Check = SentAs<operations['checkAccess']>;
export type Decision = Described<'checkAccess'>;
export type Content = Described<'getContent'>;
export type Policy = Described<'getPolicy'>;
export type Requester = Described<'getRequester'>;
export type License = Described<'getLicense'>;
export type PosternEvent = Described<'getEvent'>;
export type Usage = Described<'getUsage'>;

/** What one call may set besides its arguments. */
export interface CallOptions {
  signal?: AbortSignal;
  /** For each attempt, its answer included. */
  timeoutMs?: number;
  /** Attempts after the first. */
  retries?: number;
  /** One of your own, to have it done once over several calls; false: none, and nothing that writes is retried. */
  idempotencyKey?: string | false;
  /** Refuse the edit with `precondition_failed` if the record has another ETag now; `metaOf` tells the one it had. */
  ifMatch?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A page, and with `for await` every record from there on. Nothing is asked before one of the two is. */
export interface Paged<Page extends { data: readonly unknown[] }>
  extends PromiseLike<Page>,
    AsyncIterable<Page['data'][number]> {}

/** What `/v1/authorize` says to a proxy. */
export interface ProxyVerdict {
  allowed: boolean;
  status: number;
  headers: Headers;
}

type PathParams<P extends string> = P extends `${string}{${string}}${infer Rest}`
  ? [part: string | number, ...PathParams<Rest>]
  : [];
type Arguments<K extends OperationName> = [
  ...PathParams<Table[K]['path']>,
  ...(Table[K] extends { takesBody: true }
    ? [body: Body<K>]
    : Table[K] extends { takesQuery: true }
      ? [query?: Query<K>]
      : []),
  options?: CallOptions,
];
type Result<K extends OperationName> = Table[K]['answers'] extends 'pages'
  ? Answered<K> extends { data: readonly unknown[] }
    ? Paged<Answered<K>>
    : never
  : Table[K]['answers'] extends 'events'
    ? AsyncIterable<PosternEvent>
    : Table[K]['answers'] extends 'text'
      ? Promise<string>
      : Table[K]['answers'] extends 'verdict'
        ? Promise<ProxyVerdict>
        : Promise<Answered<K>>;

/** A method for every operation: the parts of its path, its body or its query, options. */
export type Operations = { readonly [K in OperationName]: (...args: Arguments<K>) => Result<K> };
