/** Asks a service of this process. `fetch` would take the processor three times as long: tests ask very often. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { type Answer, toBody } from './answer.ts';

export interface Asked {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

const agent = new Agent({ keepAlive: true });
/** The headers that `fetch` sends by itself. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };
const decoder = new TextDecoder();

export async function ask(url: string, asked: Asked): Promise<Answer> {
  const response = await send(url, asked);
  const { statusCode: status = 0, rawHeaders } = response;
  const type = response.headers['content-type'] ?? '';
  let text = '';
  // A stream never ends.
  if (type.startsWith('text/event-stream')) response.destroy();
  else text = await readText(response);
  let headers: Headers | undefined;
  return {
    status,
    // Few tests read them.
    get headers() {
      headers ??= toHeaders(rawHeaders);
      return headers;
    },
    text,
    body: toBody(type, text),
  };
}

function send(url: string, { method, headers, body }: Asked): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = request(new URL(url), { agent, method, headers: { ...USUAL, ...length, ...headers } });
  sent.on('error', reject);
  sent.on('response', resolve);
  sent.end(body);
  return promise;
}

function readText(response: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const parts: Buffer[] = [];
  response.on('error', reject);
  response.on('data', (part: Buffer) => parts.push(part));
  response.on('end', () => resolve(decoder.decode(Buffer.concat(parts))));
  return promise;
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] as string, raw[i + 1] as string);
  return headers;
}
