/** A question of a proxy, and what answers it. */
import type { FastifyRequest } from 'fastify';
import type { Answer } from './answer.ts';
import type { AuthorizeOptions } from './schema.ts';

export interface Question {
  request: FastifyRequest;
  options: AuthorizeOptions;
  suffix: string | undefined;
}

export type Decide = (question: Question) => Promise<Answer>;
