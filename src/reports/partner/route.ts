/** Declares an operation of `/v1/me`: its handler receives the partner, and no cache stores the answer. */
import type { FastifyReply } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { App } from '../../api/http/app.ts';
import type { Gate } from '../../api/http/gate.ts';
import type { JsonText } from '../../api/http/reply.ts';
import { type Operation, type RequestTo, route } from '../../api/http/route.ts';

type Target = `${'GET' | 'POST'} /v1/me${string}`;

type PartnerOperation<Q extends TSchema, B extends TSchema, A extends TSchema> = Omit<
  Operation<Q, B, A>,
  'permission' | 'tag' | 'secretKey' | 'partner'
>;

export interface PartnerApp {
  app: App;
  gate: Gate;
}

/** The handler receives the id of the requester. */
export function partnerRoute<P extends Target, Q extends TSchema, B extends TSchema, A extends TSchema>(
  { app, gate }: PartnerApp,
  target: P,
  operation: PartnerOperation<Q, B, A>,
  handler: (
    requesterId: string,
    request: RequestTo<P, Q, B>,
    reply: FastifyReply,
  ) => Promise<Static<A> | JsonText | FastifyReply>,
): void {
  route<P, Q, B, A>(
    app,
    target,
    { ...operation, permission: null, partner: true, tag: 'Partners' },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { requesterId } = request.partner;
      return gate.pass(requesterId, () => handler(requesterId, request, reply));
    },
  );
}
