/** A client of the license server, written from RSL 1.0 alone. */
import type { Answer } from '../../kit/answer.ts';
import type { TestService } from '../../kit/service.ts';
import { assertStatus, made } from '../http/given.ts';

export interface TokenAsked {
  /** A token of the requester. */
  secret: string;
  resource: string;
  /** By default that of the `content` with this `url` in license.xml. */
  license?: string;
  form?: Record<string, string>;
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** Sends a form. */
export const sendForm = (
  postern: TestService,
  path: string,
  fields: Record<string, string>,
  authorization?: string,
): Promise<Answer> =>
  postern.call('POST', path, {
    key: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
    },
  });

/** Reads the element `license` that holds for a pattern, as the one public client does: by regular expressions. */
export async function publishedLicense(postern: TestService, resource: string): Promise<string> {
  const { host } = new URL(resource);
  const file = await postern.call('GET', `/v1/sites/${host}/signals/license.xml`);
  for (const [content, url] of file.text.matchAll(/<content[^>]*\burl="([^"]*)"[^>]*>[^]*?<\/content>/g)) {
    if (url === resource) return /<license>[^]*?<\/license>/.exec(content)?.[0] ?? '';
  }
  throw new Error(`license.xml has no ${resource}: ${file.text}`);
}

export async function getToken(
  postern: TestService,
  id: string,
  { secret, resource, license, form = {} }: TokenAsked,
): Promise<Answer> {
  const accepted = license ?? (await publishedLicense(postern, resource));
  const fields = { grant_type: 'client_credentials', resource, license: accepted, ...form };
  return sendForm(postern, '/olp/token', fields, basic(id, secret));
}

const OPEN_HOST = 'www.example.com';

/** Sets a site with a free license up, and returns a requester's way to tokens, of this node or another one. */
export async function openLicensedSite(postern: TestService): Promise<(node?: TestService) => Promise<string>> {
  const rules = [{ action: 'allow', conditions: {} }];
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'p', rules });
  await made(postern, '/v1/collections', { name: 'All', hosts: [OPEN_HOST], policyId });
  const body = { signals: { public: true, license: true, licenseServer: true } };
  assertStatus(await postern.call('PUT', `/v1/sites/${OPEN_HOST}`, { body }), 201);
  await made(postern, '/v1/requesters', { id: 'acme' });
  const { token: secret } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
  const resource = `https://${OPEN_HOST}/*`;
  const license = await publishedLicense(postern, resource);
  return async (node = postern) => {
    const got = await getToken(node, 'acme', { secret, resource, license });
    assertStatus(got, 200);
    return got.body.access_token;
  };
}

export const readKeyIds = async (postern: TestService): Promise<string[]> =>
  (await postern.call('GET', '/olp/key', { key: null })).body.keys.map(({ kid }: { kid: string }) => kid);

/** Returns how a token proves its requester on the site, or the code of the refusal. */
export async function proveOnSite(postern: TestService, token: string, key = postern.key): Promise<string> {
  const body = { url: `https://${OPEN_HOST}/a`, visitor: { authorization: `License ${token}` } };
  const { body: answer } = await postern.call('POST', '/v1/access/check', { key, body });
  return answer.verified ?? answer.error.code;
}
