/** Postern's client: ask, manage, verify webhooks, and guard what you serve. */
export { createPostern, type Meta, metaOf, type Postern } from './client.ts';
export type { Offered } from './edge/offers.ts';
export type { Problem, Remedy } from './edge/problem.ts';
export type { Verdict } from './edge/verdict.ts';
export type { Visit } from './edge/visit.ts';
export { PosternError, PosternUnreachable } from './errors.ts';
export { type Guard, guard } from './guard.ts';
export type { GuardOptions } from './guard-options.ts';
export { createPartner, type Partner, type PartnerOptions } from './partner.ts';
export {
  type Cosigned,
  type LogCheckpoint,
  type Receipt,
  ReceiptError,
  type ReceiptOptions,
  verifyCheckpoint,
  verifyReceipt,
  type WitnessOptions,
} from './receipt.ts';
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
export { type VerifyOptions, verifyWebhook, WebhookError } from './webhook.ts';
