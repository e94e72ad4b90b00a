/** A visitor of a site, who sends paths and headers as they stand; and the configurations of the pages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Visit {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  /** The body is sent in chunks, without its length. */
  chunked?: boolean;
  /** The address of this machine that the visitor has. */
  from?: string;
}

export interface Page {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Visitors keep their connections: what is left over of one request would reach the next. */
const agent = new Agent({ keepAlive: true });

/** Visits a path of the site. Status 0 means that the connection closed without an answer. */
export function visit(
  site: string,
  path: string,
  { method = 'GET', headers = {}, body, chunked = false, from }: Visit = {},
): Promise<Page> {
  const { hostname, port } = new URL(site);
  return new Promise((resolve) => {
    const all = {
      host: 'www.example.com',
      ...headers,
      ...(body === undefined ? {} : framingOf(body, chunked)),
    };
    const to = { hostname, port, localAddress: from, agent, timeout: 20_000 };
    const sent = request({ ...to, method, path, headers: all }, (got) => {
      let text = '';
      got.setEncoding('utf8');
      got.on('data', (chunk: string) => (text += chunk));
      got.on('end', () => resolve({ status: got.statusCode ?? 0, headers: got.headers, text }));
      got.on('error', () => resolve({ status: 0, headers: {}, text }));
    });
    sent.on('error', (error) => resolve({ status: 0, headers: {}, text: String(error) }));
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
  });
}

const framingOf = (body: string, isChunked: boolean): Record<string, string> =>
  isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };

/** Every spelling of a header that CGI, WSGI or PHP read as the same. */
export function spellingsOf(header: string): string[] {
  const [first = '', ...rest] = header.split('-');
  const joined = (begun: string[], part: string) =>
    begun.flatMap((one) => ['-', '_', '.'].map((between) => one + between + part));
  return rest.reduce(joined, [first]);
}

/**
 * The first block of a language in a page of `docs/enforce/`, with every text of `changes` replaced where it stands.
 */
export function configurationOf(page: string, language: string, changes: Record<string, string>): string {
  const text = readFileSync(`docs/enforce/${page}.md`, 'utf8');
  const block = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(text)?.[1];
  assert.ok(block !== undefined, `${page} has a block of ${language}`);
  let changed = block;
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(changed.includes(from), `${page}: ${from}`);
    changed = changed.replaceAll(from, () => to);
  }
  return changed;
}
