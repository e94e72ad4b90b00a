/** The round trip to the provider as a browser makes it, step by step, so that a test can come between. */
import assert from 'node:assert/strict';
import type { Answer } from '../../kit/answer.ts';
import type { TestService } from '../../kit/service.ts';

export const OWN = { 'x-postern-console': '1' };

export interface Begun {
  /** The provider's page. */
  url: string;
  /** The browser's cookie of the round trip. */
  cookie: string;
}

export async function begin(postern: TestService, to = '/console/content'): Promise<Begun> {
  const answer = await postern.call('POST', '/console/oidc', {
    key: null,
    headers: { ...OWN, origin: postern.url },
    body: { to },
  });
  assert.equal(answer.status, 200, answer.text);
  return { url: answer.body.url, cookie: cookieIn(answer.headers, 'postern_sign_in') ?? '' };
}

/** Signs in at the provider's page. Returns the address that the provider sends the browser to. */
export async function passProvider(url: string, login: string, at: string): Promise<string> {
  const jar = new Map<string, string>();
  let next = url;
  for (let i = 0; i < 10; i++) {
    const page = await visit(next, jar);
    if (page.status === 200) {
      const sent = await visit(next, jar, new URLSearchParams({ login }));
      next = new URL(sent.headers.get('location') ?? '', next).href;
    } else {
      assert.ok(page.status === 302 || page.status === 303, `${page.status} at ${next}: ${await page.text()}`);
      next = new URL(page.headers.get('location') ?? '', next).href;
    }
    if (next.startsWith(at)) return next;
  }
  throw new Error(`the provider never sends the browser back: ${next}`);
}

async function visit(url: string, jar: Map<string, string>, form?: URLSearchParams): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { cookie },
    ...(form === undefined ? {} : { body: form }),
  });
  for (const set of answer.headers.getSetCookie()) {
    const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s);
    jar.set(name, value);
  }
  return answer;
}

export interface Ended {
  /** The page that the browser is sent to. */
  location: string;
  /** The session's cookie; undefined without a session. */
  session: string | undefined;
}

/** The browser comes back with the provider's answer. */
export async function finish(postern: TestService, callback: string, cookie: string): Promise<Ended> {
  const { pathname, search } = new URL(callback);
  const answer = await fetch(postern.url + pathname + search, { redirect: 'manual', headers: { cookie } });
  assert.equal(answer.status, 303, await answer.text());
  return { location: answer.headers.get('location') ?? '', session: cookieIn(answer.headers, 'postern_console') };
}

/** The whole round trip. */
export async function signIn(postern: TestService, login: string): Promise<Ended> {
  const { url, cookie } = await begin(postern);
  return finish(postern, await passProvider(url, login, postern.url), cookie);
}

/** `request`: method and path. */
export const withSession = (
  postern: TestService,
  session: string,
  request: string,
  body?: unknown,
): Promise<Answer> => {
  const [method = '', path = ''] = request.split(' ');
  return postern.call(method, path, {
    key: null,
    headers: { ...OWN, cookie: session },
    ...(body === undefined ? {} : { body }),
  });
};

/** Opens a link as the console's page does. Returns the session's cookie. */
export async function openLink(postern: TestService, path: string): Promise<Answer & { session: string | undefined }> {
  const link = path.slice(path.indexOf('=') + 1);
  const answer = await postern.call('POST', '/console/session', { key: null, headers: OWN, body: { link } });
  return { ...answer, session: cookieIn(answer.headers, 'postern_console') };
}

function cookieIn(headers: Headers, name: string): string | undefined {
  const pairs = headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  return pairs.find((pair) => pair.startsWith(`${name}=`) && pair !== `${name}=`);
}
