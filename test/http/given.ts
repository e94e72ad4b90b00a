/** Tools of the HTTP tests: valid bodies, the table of errors, and requests that no client would send. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Answer } from '../../kit/answer.ts';
import type { TestService } from '../../kit/service.ts';

/** The promised errors. */
const TABLE: readonly [number, string, string][] = [
  [400, 'validation_error', 'invalid_request invalid_json invalid_cursor invalid_token ambiguous_content'],
  [401, 'authentication_error', 'missing_api_key invalid_api_key missing_requester_token invalid_requester_token'],
  [403, 'authorization_error', 'insufficient_permissions ip_not_allowed requester_suspended'],
  [
    404,
    'not_found_error',
    'content_not_found site_not_found signal_not_found user_not_found collection_not_found policy_not_found policy_version_not_found candidate_not_found requester_not_found requester_token_not_found license_not_found offer_not_found crawler_not_found license_request_not_found statement_not_found proxy_probe_not_found ' +
      'api_key_not_found decision_not_found webhook_not_found event_not_found delivery_not_found route_not_found',
  ],
  [405, 'validation_error', 'method_not_allowed'],
  [413, 'validation_error', 'payload_too_large'],
  [415, 'validation_error', 'unsupported_media_type'],
  [
    409,
    'conflict_error',
    'external_id_exists requester_exists crawler_exists too_many_crawlers license_request_closed too_many_license_requests statement_running statement_not_final statement_final policy_in_use default_policy last_admin_key idempotency_key_in_use',
  ],
  [412, 'conflict_error', 'precondition_failed'],
  [422, 'idempotency_error', 'idempotency_key_reused'],
  [429, 'rate_limit_error', 'api_rate_limit_exceeded'],
  [500, 'api_error', 'internal_error'],
  [503, 'api_error', 'service_unavailable'],
  [507, 'api_error', 'storage_full'],
];
const KINDS = new Map(
  TABLE.flatMap(([status, type, codes]) => codes.split(' ').map((code) => [code, { status, type }])),
);

export const ID = (prefix: string) => new RegExp(`^${prefix}_[0-9a-z]{26}$`);
export const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Asserts an error of the table: status, type and code belong together, the request is named twice. */
export function assertErrorShape(answer: Answer, what = ''): void {
  const say = `${what} -> ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.match(answer.headers.get('request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/, `Request-Id: ${say}`);
  const error = answer.body?.error;
  assert.ok(error !== null && typeof error === 'object', `error object: ${say}`);
  assert.deepEqual(Object.keys(answer.body), ['error'], say);
  const kind = KINDS.get(error.code);
  assert.ok(kind !== undefined, `a code of the table: ${say}`);
  assert.equal(answer.status, kind.status, say);
  assert.equal(error.type, kind.type, say);
  assert.equal(typeof error.message, 'string', say);
  assert.ok(error.message.length > 0, say);
  assert.equal(error.requestId, answer.headers.get('request-id'), say);
  for (const key of Object.keys(error)) {
    assert.ok(['code', 'message', 'type', 'param', 'details', 'requestId'].includes(key), `${key}: ${say}`);
  }
  if (answer.status === 401) assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/, say);
  if (answer.status === 405) assert.ok(answer.headers.get('allow'), `Allow: ${say}`);
}

export function assertError(answer: Answer, code: string, param?: string, what = ''): void {
  assertErrorShape(answer, what);
  assert.equal(answer.body.error.code, code, `${what} ${answer.text.slice(0, 300)}`);
  if (param !== undefined) assert.equal(answer.body.error.param, param, `${what} ${answer.text.slice(0, 300)}`);
}

export function assertStatus(answer: Answer, status: number, what = ''): void {
  assert.equal(answer.status, status, `${what} ${answer.text.slice(0, 400)}`);
}

let count = 0;
export const next = (): number => ++count;

export const item = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  externalId: `item-${next()}`,
  title: 'A title',
  type: 'article',
  source: 'https://example.com/a',
  ...more,
});

/** Terms of two cents for each decision, billed by calendar month. */
export const PRICED = {
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 20_000 }],
};

export const allowAll = { action: 'allow', conditions: {} };

/** POSTs, insists on the status and returns the body. */
export async function made(postern: TestService, path: string, body: unknown, status = 201): Promise<any> {
  const answer = await postern.call('POST', path, { body });
  assertStatus(answer, status, path);
  return answer.body;
}

export const makePolicy = (postern: TestService, rules: unknown[], more: object = {}): Promise<any> =>
  made(postern, '/v1/policies', { name: 'A policy', rules, ...more });

/** Creates an item under a policy with these rules. */
export async function makeItem(
  postern: TestService,
  rules: unknown[],
  more: object = {},
  policy: object = {},
): Promise<any> {
  const { id } = await makePolicy(postern, rules, policy);
  return made(postern, '/v1/content', item({ policyId: id, ...more }));
}

/** The text of a new key. */
export async function makeKey(postern: TestService, body: object): Promise<string> {
  return (await made(postern, '/v1/api-keys', { name: 'k', type: 'secret', ...body })).key;
}

export async function check(postern: TestService, body: object, key?: string): Promise<any> {
  const answer = await postern.call('POST', '/v1/access/check', { body, ...(key === undefined ? {} : { key }) });
  assertStatus(answer, 200, 'check');
  return answer.body;
}

/** Reads the id of a decision as partners and visitors see it. */
export async function readPublicId(postern: TestService, id: string): Promise<string> {
  const { body } = await postern.call('GET', `/v1/access/decisions/${id}`);
  assert.match(body.publicId, ID('dec'));
  return body.publicId;
}

export interface Wire {
  body?: string | Uint8Array;
  headers?: Record<string, string | string[]>;
}

/** A request whose path goes over the wire as it stands: fetch would resolve dots and re-encode. */
export function wire(postern: TestService, method: string, path: string, options: Wire = {}): Promise<Answer> {
  const { hostname, port } = new URL(postern.url);
  const { body, headers = {} } = options;
  const all: Record<string, string | string[]> = { authorization: `Bearer ${postern.key}`, ...headers };
  for (const [name, value] of Object.entries(all)) if (value.length === 0) delete all[name];
  if (body !== undefined) {
    all['content-type'] ??= 'application/json';
    all['content-length'] ??= String(Buffer.byteLength(body));
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: hostname.replace(/[[\]]/g, ''), port, method, path, headers: all, agent: false },
      (got) => {
        const chunks: Buffer[] = [];
        got.on('data', (chunk: Buffer) => chunks.push(chunk));
        got.on('error', reject);
        const end = (): void => {
          const text = Buffer.concat(chunks).toString();
          const map = new Headers();
          for (const [name, value] of Object.entries(got.headers)) map.set(name, String(value));
          const isJson = map.get('content-type')?.startsWith('application/json') === true && text !== '';
          resolve({ status: got.statusCode ?? 0, headers: map, text, body: isJson ? JSON.parse(text) : undefined });
        };
        // A stream has no end to wait for.
        if (got.headers['content-type']?.startsWith('text/event-stream') === true) {
          end();
          got.destroy();
        } else got.on('end', end);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Bytes on a socket, and everything that comes back until the service closes it. */
export function bytes(postern: TestService, text: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(postern.url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => void socket.write(text));
    socket.setTimeout(3000, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks).toString())) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head > 0 && /transfer-encoding: chunked/i.test(text)) return text.endsWith('0\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return head > 0 && length !== undefined && Buffer.byteLength(text.slice(head + 4)) >= Number(length);
}
