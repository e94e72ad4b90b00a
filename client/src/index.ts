/** Postern's client: ask, manage, verify webhooks, and guard what you serve. */
export { createPostern, type Meta, metaOf, type Postern } from './client.ts';
export { PosternError, PosternUnreachable } from './errors.ts';
export { type Guard, guard } from './guard.ts';
export type { GuardOptions } from './guard-options.ts';
export type { Offered } from './offers.ts';
export { createPartner, type Partner, type PartnerOptions } from './partner.ts';
export type { Problem, Remedy } from './problem.ts';
export type { ConnectionOptions } from './transport.ts';
export type {
  AccessDecision,
  AccessDecision as Decision,
  Answered,
  ApiError,
  Body,
  CallOptions,
  Check,
  Content,
  ErrorCode,
  License,
  LoggedDecision,
  OperationName,
  Paged,
  Policy,
  PosternEvent,
  ProxyVerdict,
  Query,
  Requester,
  Usage,
} from './types.ts';
export type { Verdict } from './verdict.ts';
export type { Visit } from './visit.ts';
export { type VerifyOptions, verifyWebhook, WebhookError } from './webhook.ts';
