/**
 * `postern doctor URL`: asks the adapter in front of a site how it is set up. Without one, sends a marked request
 * through the site's proxy, and compares what reached Postern. Such a request is always denied, so it fetches no page;
 * its headers are made up and hold no secret. Then looks for a cache.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Postern } from '../../client/src/client.ts';
import { PosternError } from '../../client/src/errors.ts';
import { parseAddress } from '../lib/ip-range.ts';
import { isPublicAddress } from '../lib/outgoing/address.ts';
import { VERSION } from '../lib/version.ts';
import { checkAdapter } from './doctor-adapter.ts';
import { AGAIN_MS, ATTEMPTS, checkCache, isDenial, TIMEOUT_MS } from './doctor-cache.ts';
import type { Finding } from './finding.ts';

/** Ways to write a query that a proxy must not change. */
const QUERY = 'postern-check=%2f%7E+%20';

interface Sent {
  url: string;
  method: 'HEAD';
  headers: Record<string, string>;
}

type Arrival = NonNullable<Awaited<ReturnType<Postern['getProxyProbe']>>['arrived']>;

export async function checkSite(postern: Postern, site: string): Promise<Finding[]> {
  try {
    const probe = await postern.createProxyProbe({ host: new URL(site).host });
    const adapter = await checkAdapter(site, probe.adapterProof);
    if (adapter !== undefined) return adapter;
    const url = withQuery(site);
    const sent: Sent = { url, method: 'HEAD', headers: madeUpHeaders() };
    let response: Response | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await wait(AGAIN_MS);
      response = await send(sent, probe.mark);
      const { arrived } = await postern.getProxyProbe(probe.id);
      if (arrived !== null) {
        const denial = checkDenial(response);
        const canLook = denial.state === 'good' && arrived.signatureAgent === sent.headers['signature-agent'];
        return [denial, ...compare(sent, arrived), ...(canLook ? [await checkCache(postern, site)] : [])];
      }
    }
    return [notArrived(site, response)];
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    const says = error instanceof PosternError ? message : `no answer from ${site} (${cause?.code ?? message})`;
    return [{ what: 'site', state: 'bad', says }];
  }
}

/** Without a fragment, which is never sent. */
function withQuery(site: string): string {
  const url = new URL(site);
  url.hash = '';
  return `${url.href}${url.search === '' ? '?' : '&'}${QUERY}`.replace('??', '?');
}

function madeUpHeaders(): Record<string, string> {
  const now = Math.floor(Date.now() / 1000);
  const input = `sig1=("@authority" "signature-agent";key="sig1");created=${now};expires=${now + 60}`;
  return {
    signature: `sig1=:${randomBytes(64).toString('base64')}:`,
    'signature-input': `${input};keyid="postern-doctor";tag="web-bot-auth"`,
    'signature-agent': 'sig1="https://postern-doctor.invalid"',
    // Proxies may pass on tokens of requesters alone; this one is none.
    authorization: `Bearer svc_rt_doctor${randomBytes(16).toString('hex')}`,
    'user-agent': `postern-doctor/${VERSION}`,
  };
}

const send = ({ url, method, headers }: Sent, mark: string): Promise<Response> =>
  fetch(`${url}&${mark}`, { method, headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });

function notArrived(site: string, response: Response | undefined): Finding {
  const status = response?.status ?? 0;
  const location = response?.headers.get('location');
  const says =
    location == null
      ? `answered ${status}, and Postern was not asked. The proxy does not ask this Postern for ${site}, or drops the query. An adapter in front would have answered, if it is set up for this host and has this key, or any valid key where this one manages keys`
      : `redirects (${status}) to ${location.slice(0, 200)} without asking Postern; name that URL`;
  return { what: 'site', state: 'bad', says };
}

function checkDenial({ status }: Response): Finding {
  if (isDenial(status)) return { what: 'site', state: 'good', says: `asks Postern, and a denial arrives (${status})` };
  const says = `asks Postern, but answered ${status} to a denied request: denials are not enforced`;
  return { what: 'site', state: 'bad', says };
}

function compare(sent: Sent, arrived: Arrival): Finding[] {
  return [
    checkUrl(sent, arrived),
    checkMethod(sent, arrived),
    checkAddress(sent, arrived),
    ...checkHeaders(sent, arrived),
  ];
}

function checkUrl({ url }: Sent, { url: came }: Arrival): Finding {
  if (came === url) return { what: 'url', state: 'good', says: 'arrives as it was sent' };
  if (came === null) return { what: 'url', state: 'bad', says: 'does not arrive: pass the path and the query as sent' };
  const [one, other] = [new URL(url), URL.canParse(came) ? new URL(came) : undefined];
  const hint =
    one.origin === other?.origin
      ? 'pass the path and the query undecoded'
      : 'pass the host and the scheme of the site, or set the option `origin`';
  return { what: 'url', state: 'bad', says: `arrives as ${came}, sent was ${url}; ${hint}` };
}

function checkMethod({ method }: Sent, { method: came }: Arrival): Finding {
  if (came === method) return { what: 'method', state: 'good', says: 'arrives' };
  const how = came === null ? 'does not arrive' : `arrives as ${came}, sent was ${method}`;
  const says = `${how}; signatures that cover it fail. Pass X-Original-Method or X-Forwarded-Method`;
  return { what: 'method', state: 'note', says };
}

function checkAddress({ url }: Sent, { address }: Arrival): Finding {
  if (address === null) {
    return { what: 'address', state: 'bad', says: 'does not arrive; pass X-Forwarded-For from the proxy' };
  }
  if (parseAddress(address) === undefined) {
    const says = `arrives as ${address}, which is no address; let the proxy send the address alone`;
    return { what: 'address', state: 'bad', says };
  }
  const { hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname);
  if (isLocal || isPublicAddress(address)) {
    return { what: 'address', state: 'good', says: `arrives as ${address}; it must be the address of this machine` };
  }
  const says = `arrives as ${address}, which is not public: is it that of a proxy in front? Name it in POSTERN_TRUSTED_PROXIES`;
  return { what: 'address', state: 'note', says };
}

const HEADERS = [
  ['signature', 'Signature'],
  ['signatureInput', 'Signature-Input'],
  ['signatureAgent', 'Signature-Agent'],
] as const;

function checkHeaders({ headers }: Sent, arrived: Arrival): Finding[] {
  const lost = HEADERS.filter(([field, name]) => arrived[field] !== headers[name.toLowerCase()]).map(
    ([, name]) => name,
  );
  const signed: Finding =
    lost.length === 0
      ? { what: 'headers', state: 'good', says: 'Signature, Signature-Input and Signature-Agent arrive' }
      : {
          what: 'headers',
          state: 'bad',
          says: `${lost.join(', ')} ${lost.length === 1 ? 'does' : 'do'} not arrive as sent: no visitor can be verified by its signature`,
        };
  const others = [
    ['userAgent', 'user-agent', 'User-Agent does not arrive: no visitor is known by its name', 'bad'],
    ['authorization', 'authorization', 'Authorization does not arrive: no visitor can send a requester token', 'note'],
  ] as const;
  const missing = others
    .filter(([field, name]) => arrived[field] !== headers[name])
    .map(([, , says, state]): Finding => ({ what: 'headers', state, says }));
  return [signed, ...missing];
}
