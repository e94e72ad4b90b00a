/** The type of the web server, apart from its construction: routes and hooks need no more. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/**
 * Hooks for the routes that need them: a hook that is there for every route and looks up which one it serves costs
 * every check about a microsecond.
 */
export const appendHook = <H>(there: H | H[] | undefined, more: H): H[] => [...[there ?? []].flat(), more] as H[];
