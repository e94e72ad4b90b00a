/** The types of every operation, derived from the schemas that the service validates with. */
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
type SentAs<O> = O extends { requestBody: { content: { 'text/csv': infer Csv } } }
  ? Csv
  : O extends { requestBody: { content: { 'application/json': infer Json } } }
    ? Json
    : O extends { requestBody?: { content: { 'application/json': infer Json } } }
      ? Json
      : O extends { requestBody: { content: { 'application/x-www-form-urlencoded': infer Form } } }
        ? Form
        : never;

/** The body that an operation takes. */
export type Body<K extends OperationName> = SentAs<operations[K]>;
/** The query that an operation takes. */
export type Query<K extends OperationName> = QueryOf<K>;
/** The body that an operation answers with. */
export type Answered<K extends OperationName> = [Described<K>] extends [never] ? unknown : Described<K>;

type Schemas = components['schemas'];

/** The `error` of a refusal; without `requestId` in a batch. */
export type ApiError = Schemas['CheckError']['error'] & { requestId?: string };
export type ErrorCode = Schemas['ErrorCode'];

export type Check = Schemas['Check'];
export type AccessDecision = Schemas['AccessDecision'];
export type LoggedDecision = Schemas['LoggedDecision'];
export type Content = Schemas['Content'];
export type Policy = Schemas['Policy'];
export type Requester = Schemas['Requester'];
export type Crawler = Schemas['Crawler'];
export type License = Schemas['License'];
export type PosternEvent = Schemas['Event'];
export type Usage = Schemas['UsageReport'];

/** The options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds for each attempt, including its answer. */
  timeoutMs?: number;
  /** Attempts after the first. */
  retries?: number;
  /** Your own key, for one effect over several calls; false sends none, so that writes are not retried. */
  idempotencyKey?: string | false;
  /** The ETag, from `metaOf`, that the record must still have; otherwise the edit fails with `precondition_failed`. */
  ifMatch?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Resolves to a page; `for await` yields every record from there on. Nothing is requested before either. */
export interface Paged<Page extends { data: readonly unknown[] }>
  extends PromiseLike<Page>,
    AsyncIterable<Page['data'][number]> {}

/** The answer of `/v1/authorize` to a proxy. */
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
  ...(Table[K] extends { takesBody: true } ? [body: Body<K>] : []),
  ...(Table[K] extends { takesQuery: true } ? [query?: Query<K>] : []),
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

/** A method for every operation. Arguments: the parts of its path, its body or query, and options. */
export type Operations = { readonly [K in OperationName]: (...args: Arguments<K>) => Result<K> };
