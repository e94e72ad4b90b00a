/** Signing in as the console's pages do. */
import type { Answer } from '../../kit/answer.ts';
import type { TestService } from '../../kit/service.ts';

export const OWN = { 'x-postern-console': '1' };

export const withSession = (
  postern: TestService,
  session: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> =>
  postern.call(method, path, {
    key: null,
    headers: { ...OWN, cookie: session },
    ...(body === undefined ? {} : { body }),
  });

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
