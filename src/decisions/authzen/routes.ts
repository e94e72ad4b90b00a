/**
 * The decision point that any gateway can ask: OpenID AuthZEN Authorization API 1.0. A thin translation: evaluations
 * are checks, decided and recorded on the same road.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure, fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { answerError, asJson, toFailure } from '../../api/http/reply.ts';
import { route } from '../../api/http/route.ts';
import { caught, lazyCheck, onlyOf, validItem } from '../../api/http/validate.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { type Ask, type AskTerms, acceptOne } from '../check/ask.ts';
import { type Asker, decideFresh, KeptDecisions } from '../check/attempts.ts';
import { type CheckDeps, check, checkAll } from '../check/check.ts';
import type { Decision } from '../ledger/decision.ts';
import type { Grounds } from '../ledger/ledger.ts';
import { limitFields } from '../ledger/limit-fields.ts';
import { openRemedier } from '../proxy/remedies.ts';
import { Configuration, EvaluationAnswer, EvaluationRequest, EvaluationsAnswer, EvaluationsRequest } from './schema.ts';
import { searchRoutes } from './search-routes.ts';
import { type Evaluated, named, toCheck, toEvaluated, toRefused, toUnknown, withDefaults } from './translate.ts';

export interface AuthzenDeps extends CheckDeps {
  /** The URL under which others reach the service; null: unknown. */
  publicUrl: string | null;
}

const evaluating = { tag: 'AuthZEN', permission: 'access:check' } as const;

export async function authzenRoutes(app: App, deps: AuthzenDeps): Promise<void> {
  configurationRoute(app, deps);
  await app.register(async (door: App) => {
    door.addHook('onRequest', echoRequestId);
    door.setErrorHandler(answerRefusal);
    searchRoutes(door, deps);
    route(
      door,
      'POST /access/v1/evaluation',
      {
        ...evaluating,
        id: 'evaluateAccess',
        is: 'Ask for a decision as AuthZEN has it',
        body: EvaluationRequest,
        answer: EvaluationAnswer,
      },
      async (request, reply) => asJson(reply, JSON.stringify(await evaluateOne(deps, request, request.body, reply))),
    );
    route(
      door,
      'POST /access/v1/evaluations',
      {
        ...evaluating,
        bulk: true,
        id: 'evaluateAccesses',
        is: 'Ask for up to 1,000 decisions as AuthZEN has it',
        body: EvaluationsRequest,
        answer: EvaluationsAnswer,
      },
      async (request, reply) => {
        const { evaluations = [], options } = request.body;
        if (evaluations.length === 0) return evaluateOne(deps, request, toValid(request.body), reply);
        const asks = await mapInSlices(evaluations, (item) => toAsk(deps, request, withDefaults(item, request.body)));
        const semantic = options?.evaluations_semantic ?? 'execute_all';
        const evaluated =
          semantic === 'execute_all'
            ? await evaluateAll(deps, request, asks)
            : await evaluateUntil(deps, request, asks, semantic === 'permit_on_first_permit');
        return { evaluations: evaluated };
      },
    );
  });
}

function configurationRoute(app: App, { publicUrl }: AuthzenDeps): void {
  const operation = {
    permission: null,
    tag: 'AuthZEN',
    id: 'getAuthzenConfiguration',
    is: 'Where gateways find the decision point',
    answer: Configuration,
  } as const;
  route(app, 'GET /.well-known/authzen-configuration', operation, async () => {
    if (publicUrl === null) {
      throw fail('route_not_found', 'The service does not know its address; set POSTERN_PUBLIC_URL.');
    }
    return {
      policy_decision_point: publicUrl,
      access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
      access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
      search_subject_endpoint: `${publicUrl}/access/v1/search/subject`,
      search_resource_endpoint: `${publicUrl}/access/v1/search/resource`,
      search_action_endpoint: `${publicUrl}/access/v1/search/action`,
    };
  });
}

function echoRequestId(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const id = request.headers['x-request-id'];
  if (id !== undefined) reply.header('x-request-id', id);
  done();
}

/** The specification knows no 415. */
function answerRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = named(toFailure(error, request.routeOptions.bodyLimit), request.body);
  const refusal =
    failure.code === 'unsupported_media_type' ? fail('invalid_request', failure.message, { cause: error }) : failure;
  return answerError(refusal, request, reply);
}

const isEvaluation = lazyCheck(EvaluationRequest);

/** Throws invalid_request. */
const toValid = (item: unknown): EvaluationRequest => validItem(EvaluationRequest, isEvaluation, item, 'evaluation');

const toTerms = ({ ledger }: AuthzenDeps, { caller }: Asker): AskTerms => ({ caller, now: ledger.now, dry: false });

/** Returns the check of an evaluation, or the reason it is refused. */
function toAsk(deps: AuthzenDeps, asker: Asker, item: unknown): Ask | Failure {
  const ask = caught(() => acceptOne(toTerms(deps, asker), toCheck(toValid(item))));
  return ask instanceof Failure ? named(ask, item) : ask;
}

async function evaluateOne(
  deps: AuthzenDeps,
  asker: Asker,
  evaluation: EvaluationRequest,
  reply: FastifyReply,
): Promise<Evaluated> {
  const ask = { ...onlyOf([acceptOne(toTerms(deps, asker), toCheck(evaluation))]), explain: true };
  try {
    const decision = await decideFresh(asker, (grounds) => decide(deps, ask, asker, grounds));
    reply.headers(limitFields(decision));
    return toEvaluated(decision);
  } catch (error) {
    const unknown = error instanceof Failure ? toUnknown(error) : undefined;
    if (unknown !== undefined) return unknown;
    throw error;
  }
}

async function decide(deps: AuthzenDeps, ask: Ask, { caller }: Asker, grounds: Grounds): Promise<Decision> {
  const list = deps.offers.read();
  const explainer = openRemedier(deps, caller, list instanceof Promise ? await list : list);
  return check(deps, ask, { caller, grounds, explainer });
}

/** Decides all, and records them together. Without remedies: those of a long list would take too much time. */
async function evaluateAll(deps: AuthzenDeps, asker: Asker, asks: readonly (Ask | Failure)[]): Promise<Evaluated[]> {
  const kept = new KeptDecisions();
  const answers = await decideFresh(asker, (grounds) => {
    const { caller } = asker;
    return checkAll(deps, asks, { caller, grounds, explainer: null, kept: kept.under({ caller, offers: null }) });
  });
  return mapInSlices(answers, toAnswer);
}

const toAnswer = (answer: Decision | Failure): Evaluated =>
  answer instanceof Failure ? toRefused(answer) : toEvaluated(answer);

/** Decides in order up to the first answer that is `last`: those after it are neither decided nor recorded. */
async function evaluateUntil(
  deps: AuthzenDeps,
  asker: Asker,
  asks: readonly (Ask | Failure)[],
  last: boolean,
): Promise<Evaluated[]> {
  const evaluated: Evaluated[] = [];
  for (const ask of asks) {
    const [answer] = await evaluateAll(deps, asker, [ask]);
    evaluated.push(answer as Evaluated);
    if (answer?.decision === last) break;
  }
  return evaluated;
}
