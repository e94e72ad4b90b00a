/**
 * Answers proxies that ask before they serve. 200 only for an allowed check that is recorded like any other;
 * everything that goes wrong is another status. Bodies and `Idempotency-Key` belong to the visitor and are ignored: a
 * repeated request is another access.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../api/http/app.ts';
import type { Caller } from '../../api/permissions.ts';
import type { Notice } from '../../content/sites/notice.ts';
import { UndecidedUrl } from '../../content/undecided.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Origin } from '../../lib/forwarded.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import { METHOD_PATTERN, REQUESTER_ID_PATTERN } from '../../rules/conditions/names.ts';
import type { Ask } from '../check/ask.ts';
import { decideFresh } from '../check/attempts.ts';
import { type CheckDeps, check } from '../check/check.ts';
import { asNobody, asVisitor, type WhoDeps } from '../check/who.ts';
import type { Decision } from '../ledger/decision.ts';
import type { Grounds } from '../ledger/ledger.ts';
import { type PublicIds, withPublicId } from '../ledger/public-ids.ts';
import type { RobotsReads } from '../visitors/robots-reads.ts';
import type { Visitor } from '../visitors/visitors.ts';
import {
  addLink,
  type ProxyAnswer,
  toAnswer,
  toChallenge,
  toUnclearAnswer,
  toUnknownAnswer,
  withBody,
} from './answer.ts';
import { toRefusal } from './body.ts';
import { exceptFree, type SiteSignals } from './free.ts';
import { askPaid } from './pay-per-crawl.ts';
import { exceptProbes } from './probes.ts';
import type { Decide, ProxyQuestion } from './question.ts';
import { firstOfferUrl, offeredIn, openRemedier } from './remedies.ts';
import { AuthorizeHeaders, AuthorizeOptions, PATH, readOptions } from './schema.ts';
import { type Forwarded, readMethod, readSentUrl, readTarget, type Unclear } from './target.ts';

export interface AuthorizeDeps extends Omit<CheckDeps, 'visitors'>, WhoDeps {
  ids: PublicIds;
  signals: SiteSignals;
  robotsReads: Pick<RobotsReads, 'note'>;
  /** Returns the address for which the proxy forwards. */
  visitor(request: FastifyRequest): Origin;
}

const REQUESTER_ID = new RegExp(REQUESTER_ID_PATTERN);
const METHOD = new RegExp(METHOD_PATTERN);
const OPTIONS_HEADER = 'x-postern-options';
const IGNORED = `X-Postern-Options; without a path after ${PATH}, send options in the query`;
/** A signature that would be verified (RFC 9421, 5.1). */
const ACCEPT_SIGNATURE = 'sig1=("@authority" "signature-agent");created;expires;keyid;tag="web-bot-auth"';

// No preflight is answered here: proxies pass on the visitor's OPTIONS and take every 2xx for an allow.
const DENIALS = ['application/problem+json', 'text/html', 'application/json'];
const config = {
  permission: 'access:check',
  keyHeader: 'x-postern-key',
  cors: false,
  media: { 403: DENIALS, '4XX': DENIALS },
} as const;

export function authorizeRoutes(app: App, deps: AuthorizeDeps): void {
  const decide = exceptProbes(deps, exceptFree(deps.signals, deps.robotsReads, openAuthorize(deps)));
  // Both run in place of reading the body, which is ignored.
  const exact = async (request: FastifyRequest, reply: FastifyReply) => {
    // Proxies pass on what visitors send, so the header sets no options and spoils nothing. An operator learns of it.
    if (request.headers[OPTIONS_HEADER] !== undefined) reply.header('x-postern-ignored', IGNORED);
    return send(reply, await decide({ request, options: readOptions(request.query), suffix: undefined }));
  };
  const appended = async (request: FastifyRequest, reply: FastifyReply) => {
    // Here the query is the visitor's: it sets no options.
    const options = readOptions(Object.fromEntries(new URLSearchParams(String(request.headers[OPTIONS_HEADER] ?? ''))));
    // The router also knows our path in other spellings.
    const suffix = request.url.startsWith(`${PATH}/`) ? request.url.slice(PATH.length) : '';
    return send(reply, await decide({ request, options, suffix }));
  };
  const handler = () => {
    throw new Error('answered before');
  };

  // An import of `node:http` reads all its exports, and thereby loads the undici within Node.js.
  const { METHODS } = process.getBuiltinModule('node:http');
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const others = METHODS.filter((method) => method !== 'CONNECT' && method !== 'GET');
  const methods = ['GET', ...others];
  const hidden = { hide: true } as never;
  app.route({ method: 'GET', url: PATH, config, schema, exposeHeadRoute: false, preParsing: exact, handler });
  app.route({ method: others, url: PATH, config, schema: hidden, preParsing: exact, handler });
  const rest = { url: `${PATH}/*`, schema: hidden, exposeHeadRoute: false };
  app.route({ ...rest, method: methods, config, preParsing: appended, handler });
}

const schema = {
  tags: ['Access'],
  operationId: 'authorize',
  summary: 'Ask for a decision as a proxy does',
  headers: AuthorizeHeaders,
  querystring: AuthorizeOptions,
  response: {
    200: Type.Null({ description: 'Allowed; the decision is in `X-Postern-…` headers' }),
    403: Type.Null({
      description: 'Denied, the same way, with a body where `body` asks for it; or refused, with an error',
    }),
  },
};

/**
 * Returns what decides a question; one that had to wait is read again, because its item and visitor may have changed.
 */
function openAuthorize(deps: AuthorizeDeps): Decide {
  async function decideOnce({ request, options, suffix }: ProxyQuestion, grounds: Grounds): Promise<ProxyAnswer> {
    const forwarded = { headers: request.headers, suffix, origin: options.origin };
    const target = readTarget(forwarded);
    if (typeof target === 'string') return toUnclearAnswer(target, options);
    const visitor = await findVisitor(deps, request, { forwarded, target, options });
    const method = readMethod(forwarded, request.method);
    const ask = toAsk(target, options, toContext(request.headers['user-agent'], deps.visitor(request), method));
    const visited = ofVisitor(ask, visitor);
    if (typeof visited === 'string') return refuse(deps, visited, { target, options });
    try {
      return await answerVisitor(deps, visited, { request, options, grounds, url: readSentUrl(forwarded, target) });
    } catch (error) {
      if (error === visited.unclear) return refuse(deps, 'ambiguous_requester', { target, options });
      if (!(error instanceof UndecidedUrl)) throw error;
      if (error.why === 'none') return toUnknownAnswer(options, target.host);
      return toUnclearAnswer(error.why === 'ambiguous_readings' ? 'ambiguous_content' : error.why, options);
    }
  }

  return (question) => decideFresh(question.request, (grounds) => decideOnce(question, grounds));
}

interface Targeted {
  target: Locator;
  options: AuthorizeOptions;
}

async function findVisitor(
  { visitors, clock }: AuthorizeDeps,
  { headers, method }: FastifyRequest,
  { forwarded, target, options: { requesterHeader } }: Targeted & { forwarded: Forwarded },
): Promise<Visitor | Unclear> {
  const named = requesterHeader === undefined ? undefined : headers[requesterHeader.toLowerCase()];
  const isNamed = named !== undefined && named !== '';
  if (isNamed && (typeof named !== 'string' || !REQUESTER_ID.test(named))) return 'invalid_requester';
  const isSigned = headers['signature-input'] !== undefined && target.host !== '';
  return visitors.find({
    requesterId: isNamed ? named : undefined,
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    at: target,
    signed: isSigned
      ? {
          method: readMethod(forwarded, method) ?? method,
          authority: target.host,
          targetUri: readSentUrl(forwarded, target),
          headers,
          at: clock.now(),
        }
      : undefined,
  });
}

function ofVisitor(ask: Ask, visitor: Visitor | Unclear): Ask | Unclear {
  if (visitor === 'ambiguous_requester') return asNobody(ask);
  return typeof visitor === 'string' ? visitor : asVisitor(ask, visitor);
}

async function refuse(deps: AuthorizeDeps, why: Unclear, { target, options }: Targeted): Promise<ProxyAnswer> {
  const answer = toUnclearAnswer(why, options);
  addLink(answer, (await deps.signals.notice(target.host)).denialLink);
  return answer;
}

/** Throws what `check` throws. */
async function answerVisitor(
  deps: AuthorizeDeps,
  ask: Ask,
  { request, options, grounds, url }: Pick<ProxyQuestion, 'request' | 'options'> & { grounds: Grounds; url: string },
): Promise<ProxyAnswer> {
  const { caller, headers } = request;
  const { ask: asked, price } = await askPaid(deps, ask, { caller, headers, options });
  const list = deps.offers.read();
  const explainer = toRemedier(deps, options, caller, list instanceof Promise ? await list : list);
  const explained = explainer === null ? asked : { ...asked, explain: true };
  const decision = withPublicId(deps.ids, await check(deps, explained, { caller, grounds, explainer }));
  const answer = await complete(deps, { ask: asked, decision, options, caller, url });
  if (price !== undefined && decision.allowed) answer.headers['crawler-price'] = price;
  return answer;
}

interface Settled {
  ask: Ask;
  decision: Decision;
  options: AuthorizeOptions;
  caller: Caller;
  /** The URL as the visitor sent it. */
  url: string;
}

/** Returns the answer, with what would help the visitor. */
async function complete(deps: AuthorizeDeps, settled: Settled): Promise<ProxyAnswer> {
  const { ask, decision, options } = settled;
  const found = deps.signals.notice(ask.locator?.host ?? '');
  const notice = found instanceof Promise ? await found : found;
  if (!decision.allowed && decision.enforced) return deny(deps, settled, notice);
  const answer = toAnswer(decision, options);
  addLink(answer, notice.link);
  Object.assign(answer.headers, deps.signals.headersOf(ask.locator as Locator));
  return answer;
}

async function deny(
  deps: AuthorizeDeps,
  { ask, decision, options, caller, url }: Settled,
  { link, denialLink, licensingUrl, isServed }: Notice,
): Promise<ProxyAnswer> {
  const { remedies = [] } = decision;
  const offered = offeredIn(remedies);
  const answer = toAnswer(decision, options, { offered, url });
  addLink(answer, options.body === undefined ? link : (denialLink ?? link));
  if (isServed) Object.assign(answer.headers, toChallenge(decision, answer.status));
  if (await wouldSignatureHelp(deps, ask, decision, caller)) answer.headers['accept-signature'] = ACCEPT_SIGNATURE;
  const refusal = toRefusal(answer.status, decision, remedies);
  return withBody(answer, { ...refusal, licensingUrl: licensingUrl ?? firstOfferUrl(offered) }, options);
}

/** Remedies are found only where the answer says them: that takes longer than the decision. */
const toRemedier = (deps: AuthorizeDeps, { body }: AuthorizeOptions, caller: Caller, list: PriceList) =>
  body === undefined && list.isEmpty ? null : openRemedier(deps, caller, list);

/**
 * Asks only visitors that can sign: the denial is decided again as if it were verified. An address proves less than a
 * signature, and one beside the published ranges may still sign; a signature that failed is not asked for again.
 */
async function wouldSignatureHelp(
  deps: AuthorizeDeps,
  ask: Ask,
  { verified }: Decision,
  caller: Caller,
): Promise<boolean> {
  if (verified === 'signature' || verified === 'token' || verified === 'license' || ask.claimed !== undefined)
    return false;
  if (!(await deps.visitors.couldSign(ask, ask.context?.userAgent))) return false;
  const proven = deps.visitors.crawlerSigns(ask.context?.userAgent) ? { crawlerVerified: true } : {};
  const context = { ...ask.context, verified: 'signature' as const, ...proven };
  const again = { ...ask, context, dryRun: true };
  const terms = { caller, grounds: { readAt: monotonicMs() }, explainer: null };
  try {
    return (await check(deps, again, terms)).allowed;
  } catch (error) {
    // Proven, the visitor would be allowed another reading of the URL, and so nothing.
    if (error instanceof UndecidedUrl) return false;
    throw error;
  }
}

const toAsk = (locator: Locator, { permission, purpose }: AuthorizeOptions, context: Ask['context']): Ask => ({
  locator,
  ...(permission === undefined ? {} : { permission }),
  ...(purpose === undefined ? {} : { purpose }),
  ...(context === undefined ? {} : { context }),
});

function toContext(userAgent: string | undefined, origin: Origin, method: string | undefined): Ask['context'] {
  // Visitors may send any method: what is none is not kept.
  const kept = method !== undefined && METHOD.test(method) ? method : undefined;
  if (userAgent === undefined && origin === undefined && kept === undefined) return undefined;
  return {
    ...(origin === undefined ? {} : 'address' in origin ? { ip: origin.address } : { ipUnreadable: true }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(kept === undefined ? {} : { method: kept }),
  };
}

function send(reply: FastifyReply, { status, headers, body = null }: ProxyAnswer): FastifyReply {
  reply.code(status).headers(headers);
  return body === null ? reply.send() : reply.type(body.type).send(body.text);
}
