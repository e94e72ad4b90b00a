/**
 * The question that proxies ask before they serve. Promise: 200 only for an allowed check that is recorded like any other;
 * everything that goes wrong is another status. Bodies and `Idempotency-Key` are the visitor's and count for nothing: a
 * repeated request is another access.
 */
import { METHODS } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type CheckDeps, checkOnce } from '../access/check.ts';
import type { CheckRequest } from '../access/schema.ts';
import type { Changes } from '../changes/changes.ts';
import { Failure, fail } from '../errors.ts';
import type { App } from '../http/server.ts';
import { validatorCompiler } from '../http/validate.ts';
import { REQUESTER_ID_PATTERN } from '../policies/conditions.ts';
import { openUserAgents } from '../requesters/user-agents.ts';
import { type Answer, answerOf, answerUnclear, answerUnknown } from './answer.ts';
import { targetOf, type Unclear } from './question.ts';
import { AuthorizeHeaders, AuthorizeOptions } from './schema.ts';
import { openServed } from './served.ts';

export interface AuthorizeDeps extends CheckDeps {
  changes: Changes;
  /** Whom the proxy forwards for. */
  visitor(request: FastifyRequest): string | undefined;
}

const PATH = '/v1/authorize';
const OPTIONS_HEADER = 'x-postern-options';
/** As much as a check takes. What a longer one hides must not be guessed, and no browser sends one. */
const USER_AGENT_LENGTH_MAX = 1024;
const REQUESTER_ID = new RegExp(REQUESTER_ID_PATTERN);

const config = { permission: 'access:check', keyHeader: 'x-postern-key' } as const;
const validate = validatorCompiler({ schema: AuthorizeOptions, method: 'GET', url: PATH, httpPart: 'querystring' });

export function authorizeRoutes(app: App, deps: AuthorizeDeps): void {
  const served = openServed(deps.db, deps.changes);
  const userAgents = openUserAgents(deps.db, deps.changes);

  async function whoOf(
    { headers }: FastifyRequest,
    { requesterHeader }: AuthorizeOptions,
  ): Promise<{ requesterId?: string } | Unclear> {
    const userAgent = headers['user-agent'];
    if (userAgent !== undefined && userAgent.length > USER_AGENT_LENGTH_MAX) return 'unreadable_user_agent';
    const told = requesterHeader === undefined ? undefined : headers[requesterHeader.toLowerCase()];
    if (told !== undefined && told !== '') {
      return typeof told === 'string' && REQUESTER_ID.test(told) ? { requesterId: told } : 'invalid_requester';
    }
    const id = userAgent === undefined ? undefined : await userAgents.find(userAgent);
    if (id === null) return 'ambiguous_requester';
    return id === undefined ? {} : { requesterId: id };
  }

  async function decide(request: FastifyRequest, options: AuthorizeOptions, suffix?: string): Promise<Answer> {
    const target = targetOf({ headers: request.headers, suffix, origin: options.origin });
    if (typeof target === 'string') return answerUnclear(target);
    const who = await whoOf(request, options);
    if (typeof who === 'string') return answerUnclear(who);
    const contentId = await served.find(target);
    if (contentId === null) return answerUnclear('ambiguous_content');
    if (contentId === undefined) return answerUnknown(options);
    const { permission, purpose } = options;
    const context = contextOf(request.headers['user-agent'], deps.visitor(request));
    const check: CheckRequest = {
      contentId,
      ...who,
      ...(permission === undefined ? {} : { permission }),
      ...(purpose === undefined ? {} : { purpose }),
      ...(context === undefined ? {} : { context }),
    };
    try {
      return answerOf(await checkOnce(deps, request.caller, check), options);
    } catch (error) {
      // Deleted since it was found.
      if (error instanceof Failure && error.code === 'content_not_found') return answerUnknown(options);
      throw error;
    }
  }

  // In place of reading the body: whatever it is, it is not looked at.
  const exact = async (request: FastifyRequest, reply: FastifyReply) =>
    send(reply, await decide(request, readOptions(request.query)));
  const appended = async (request: FastifyRequest, reply: FastifyReply) => {
    // Here the query is the visitor's: it sets up nothing.
    const options = readOptions(Object.fromEntries(new URLSearchParams(String(request.headers[OPTIONS_HEADER] ?? ''))));
    // The router knows our path in other spellings, too.
    const suffix = request.url.startsWith(`${PATH}/`) ? request.url.slice(PATH.length) : '';
    return send(reply, await decide(request, options, suffix));
  };
  const never = () => {
    throw new Error('answered before');
  };

  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const others = METHODS.filter((method) => method !== 'CONNECT' && method !== 'GET');
  app.route({
    method: 'GET',
    url: PATH,
    config,
    schema: {
      tags: ['Access'],
      operationId: 'authorize',
      summary: 'Ask for a decision as a proxy does',
      headers: AuthorizeHeaders,
      querystring: AuthorizeOptions,
      response: {
        200: Type.Null({ description: 'Allowed; the decision is in `X-Postern-…` headers' }),
        403: Type.Null({ description: 'Denied, the same way; or refused, with an error' }),
      },
    },
    exposeHeadRoute: false,
    preParsing: exact,
    handler: never,
  });
  const schema = { hide: true } as never;
  app.route({ method: others, url: PATH, config, schema, preParsing: exact, handler: never });
  app.route({
    method: ['GET', ...others],
    url: `${PATH}/*`,
    config,
    schema,
    exposeHeadRoute: false,
    preParsing: appended,
    handler: never,
  });
}

function contextOf(userAgent: string | undefined, ip: string | undefined): CheckRequest['context'] {
  if (userAgent === undefined && ip === undefined) return undefined;
  return { ...(ip === undefined ? {} : { ip }), ...(userAgent === undefined ? {} : { userAgent }) };
}

/** Throws invalid_request. */
function readOptions(given: unknown): AuthorizeOptions {
  const read = validate(given) as { value: AuthorizeOptions } | { error: Failure };
  if ('error' in read) throw read.error;
  const { requesterHeader = '' } = read.value;
  if (/^(authorization|cookie|host|x-postern-key)$/i.test(requesterHeader)) {
    throw fail('invalid_request', `\`requesterHeader\` cannot be ${requesterHeader}.`, { param: 'requesterHeader' });
  }
  return read.value;
}

const send = (reply: FastifyReply, { status, headers }: Answer): FastifyReply =>
  reply.code(status).headers(headers).send();
