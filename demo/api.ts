/** A small client of the service: JSON in, JSON out, connections kept open. A refusal is an ApiError with the service's words. */
import http from 'node:http';
import https from 'node:https';

export interface Api {
  readonly url: string;
  get<T>(path: string): Promise<T>;
  send<T>(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T>;
  text(path: string): Promise<string>;
  close(): void;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const CONNECTIONS = 64;
const TIMEOUT_MS = 60_000;

export function apiAt(url: string, key: string): Api {
  const web = url.startsWith('https:') ? https : http;
  const agent = new web.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  function call(method: string, path: string, body?: unknown): Promise<string> {
    return new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const headers: http.OutgoingHttpHeaders = { authorization: `Bearer ${key}` };
      if (payload !== undefined) {
        headers['content-type'] = 'application/json';
        headers['content-length'] = Buffer.byteLength(payload);
      }
      const request = web.request(new URL(path, url), { method, agent, headers, timeout: TIMEOUT_MS }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(text);
          else reject(toError(status, text));
        });
      });
      request.on('timeout', () => request.destroy(new Error(`${method} ${path}: no answer within ${TIMEOUT_MS} ms`)));
      request.on('error', reject);
      request.end(payload);
    });
  }

  return {
    url,
    get: async <T>(path: string) => JSON.parse(await call('GET', path)) as T,
    send: async <T>(method: 'POST' | 'PATCH', path: string, body: unknown) =>
      JSON.parse(await call(method, path, body)) as T,
    text: (path) => call('GET', path),
    close: () => agent.destroy(),
  };
}

function toError(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    if (error?.code !== undefined && error.message !== undefined)
      return new ApiError(status, error.code, error.message);
  } catch {
    // Not one of the service's own answers; said below.
  }
  return new ApiError(status, 'unknown', `The answer was ${status}, and not of a Postern: ${text.slice(0, 200)}`);
}
