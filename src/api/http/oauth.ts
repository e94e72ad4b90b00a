/** Bodies and errors as OAuth has them (RFC 6749): forms in, `{"error", "error_description"}` out, kept by no cache. */
import {
  errorCodes,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type preParsingHookHandler,
} from 'fastify';
import { type Failure, fail } from '../errors.ts';
import { OAuthError } from '../oauth-error.ts';
import { type App, appendHook } from './app.ts';
import { sendJson, toFailure, writeError } from './reply.ts';

export const FORM = 'application/x-www-form-urlencoded';

/** Reads forms on the routes that take one. A parameter that is repeated is refused, as section 3.2 demands. */
export function readForms(app: App): void {
  app.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.takesForm !== true)
      return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(FORM));
    const fields = [...new URLSearchParams(body.toString())];
    const names = new Set(fields.map(([name]) => name));
    if (names.size < fields.length) return done(REPEATED);
    done(null, Object.fromEntries(fields));
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.takesForm === true) route.preParsing = appendHook(route.preParsing, requireForm);
  });
}

const REPEATED = fail('invalid_request', 'A parameter is given twice; send each once.');
const NO_FORM = fail('invalid_request', `Send the parameters as a form, with Content-Type: ${FORM}.`);

const requireForm: preParsingHookHandler = ({ mediaType }, _reply, payload, done) => {
  if (mediaType === FORM) done(null, payload);
  else done(NO_FORM);
};

/** Answers what a route of OAuth refuses. */
export function answerOAuthError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known: unknown = error;
  reply.header('cache-control', 'no-store');
  if (known instanceof OAuthError)
    return refuse(reply.headers(known.headers), known.status, known.error, known.message);
  const failure = toFailure(error, request.routeOptions.bodyLimit);
  writeError(failure, request, reply);
  const [status, code] = translate(failure);
  return refuse(reply, status, code, failure.message);
}

const refuse = (reply: FastifyReply, status: number, error: string, message: string): FastifyReply =>
  sendJson(reply, status, JSON.stringify({ error, error_description: toDescription(message) }));

/** RFC 6749, 5.2: printable ASCII without quotes and backslashes. */
const toDescription = (message: string): string => message.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?');

function translate({ status }: Failure): [number, string] {
  if (status === 401) return [401, 'invalid_client'];
  if (status === 403) return [403, 'unauthorized_client'];
  if (status === 429 || status === 503) return [status, 'temporarily_unavailable'];
  return status >= 500 ? [status, 'server_error'] : [status, 'invalid_request'];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a form instead of JSON. */
    takesForm?: true;
  }
}
