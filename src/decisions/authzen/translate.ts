/** Translates between evaluations and checks. */
import { Failure } from '../../api/errors.ts';
import type { CheckRequest } from '../check/schema.ts';
import type { Decision } from '../ledger/decision.ts';
import type { EvaluationRequest, EvaluationsRequest } from './schema.ts';

/** Returns whether the id of a resource is taken for a URL. */
export const isUrl = (id: string): boolean => /^https?:\/\//i.test(id);

/** Returns the check that an evaluation asks for. Types of entities decide nothing. */
export function toCheck({ subject, action, resource, context = {} }: EvaluationRequest): CheckRequest {
  const { purpose, country, ip, userAgent } = context;
  const attributes = {
    ...attributesOf('subject', subject.properties),
    ...attributesOf('action', action.properties),
    ...attributesOf('resource', resource.properties),
  };
  const facts = given({ country, ip, userAgent, attributes: isEmpty(attributes) ? undefined : attributes });
  return {
    ...(isUrl(resource.id) ? { url: resource.id } : { contentId: resource.id }),
    requesterId: subject.id,
    permission: action.name,
    ...given({ purpose }),
    ...(isEmpty(facts) ? {} : { context: facts }),
  };
}

/** The fields of checks, as evaluations name them. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['url', 'resource.id'],
  ['contentId', 'resource.id'],
  ['requesterId', 'subject.id'],
  ['permission', 'action.name'],
  ['purpose', 'context.purpose'],
]);

/** Returns the failure of a check with the names that its evaluation has. */
export function named(failure: Failure, evaluation: unknown): Failure {
  if (failure.param === undefined) return failure;
  const all = (evaluation ?? {}) as Record<string, { properties?: object } | undefined>;
  const stating = ENTITIES.find((entity) => !isEmpty(all[entity]?.properties ?? {})) ?? 'subject';
  const rename = (param: string): string =>
    FIELDS.get(param) ??
    param
      .replace(/^context\.attributes\.(subject|action|resource)\./, '$1.properties.')
      .replace(/^context\.attributes$/, `${stating}.properties`);
  const retell = (message: string): string =>
    message.replaceAll(/`([^`]+)`/g, (_, param: string) => `\`${rename(param)}\``);
  return new Failure(failure.code, retell(failure.message), {
    param: rename(failure.param),
    details: failure.details?.map(({ param, message }) => ({
      param: param === null ? null : rename(param),
      message: retell(message),
    })),
    headers: failure.headers,
    cause: failure,
  });
}

/** Leaves out what conditions cannot compare: objects, lists and null. */
function attributesOf(entity: string, properties: object = {}): Record<string, string | number | boolean> {
  const scalars = Object.entries(properties).filter(([, value]) => /^(string|number|boolean)$/.test(typeof value));
  return Object.fromEntries(scalars.map(([name, value]) => [`${entity}.${name}`, value]));
}

const given = <T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

const ENTITIES = ['subject', 'action', 'resource', 'context'] as const;

/**
 * Returns an evaluation of a list with the defaults of the list. An entity replaces its default as a whole; only the
 * required `type` and `id` fall back to it, as the certification scenario demands.
 */
export function withDefaults(item: unknown, defaults: EvaluationsRequest): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item) || item instanceof Failure) return item;
  const own = item as Record<string, unknown>;
  return Object.fromEntries(
    ENTITIES.flatMap((name) => {
      const entity = Object.hasOwn(own, name) ? withRequired(own[name], defaults[name] ?? {}) : defaults[name];
      return entity === undefined ? [] : [[name, entity]];
    }),
  );
}

function withRequired(entity: unknown, preset: object): unknown {
  if (typeof entity !== 'object' || entity === null || Array.isArray(entity)) return entity;
  const required = Object.entries(preset).filter(([name]) => name === 'type' || name === 'id');
  return { ...Object.fromEntries(required), ...entity };
}

/** An answer to an evaluation. */
export interface Evaluated {
  decision: boolean;
  context: object;
}

/** Returns the answer of a decision. Where a collection only observes, the gateway lets the request pass. */
export function toEvaluated({ id, allowed, enforced, reason, message, remedies = [] }: Decision): Evaluated {
  return {
    decision: allowed || !enforced,
    context: {
      id,
      reason,
      ...(allowed ? {} : { reason_user: { en: message } }),
      ...(remedies.length === 0 ? {} : { remedies }),
      ...(enforced ? {} : { enforced, allowed }),
    },
  };
}

const UNKNOWN: ReadonlySet<string> = new Set(['content_not_found', 'ambiguous_content']);

/** Returns the answer where no decision was made about the resource; undefined for other failures. */
export const toUnknown = ({ code, message }: Failure): Evaluated | undefined =>
  UNKNOWN.has(code) ? { decision: false, context: { reason: code, reason_user: { en: message } } } : undefined;

/** Returns the answer to an evaluation of a list that has none. */
export const toRefused = (failure: Failure): Evaluated =>
  toUnknown(failure) ?? {
    decision: false,
    context: { error: { status: failure.status, message: failure.message } },
  };
