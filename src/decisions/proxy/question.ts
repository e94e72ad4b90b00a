/** A question of a proxy, and what answers it. */
import type { FastifyRequest } from 'fastify';
import type { ProxyAnswer } from './answer.ts';
import type { AuthorizeOptions } from './schema.ts';

export interface ProxyQuestion {
  request: FastifyRequest;
  options: AuthorizeOptions;
  suffix: string | undefined;
}

export type Decide = (question: ProxyQuestion) => Promise<ProxyAnswer>;
