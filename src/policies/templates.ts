/**
 * Starting points for common policies. Promise: each can be stored as is, has no warnings, and has cases that hold. An
 * unedited template never grants more than its description says.
 */
import { cutPage, fromCursor, PAGE_DEFAULT, type Page, type PageQuery } from '../db/page.ts';
import type { Action, Rule } from './policy.ts';

/** A check and its expected decision, in the form of a policy file. */
export interface TemplateCase {
  name: string;
  check: Record<string, unknown>;
  expect: { allowed: boolean; reason?: string | null; permissions?: string[]; rule?: number | null };
}

export interface PolicyTemplate {
  id: string;
  object: 'policy_template';
  name: string;
  description: string;
  rules: Rule[];
  defaultAction: Action;
  cases: TemplateCase[];
}

/** Far in the future: cases must not fail because time passes. */
const VALID = { type: 'standard', expiresAt: '2199-01-01T00:00:00Z' };
const EXPIRED = { type: 'standard', expiresAt: '2020-01-01T00:00:00Z' };
/** A placeholder date. If it is never replaced, the items stay closed. */
const RELEASE = '2100-01-01T00:00:00Z';
const BEFORE_RELEASE = '2099-12-31T23:59:59.999Z';
const PREVIEW = ['preview_only', 'metadata_only'];

export const TEMPLATES: readonly PolicyTemplate[] = [
  {
    id: 'open_access',
    object: 'policy_template',
    name: 'Open access',
    description:
      'Everyone reads everything, including anonymous readers. Rights of use, such as training or redistribution, are not granted; add the ones you grant to `permissions`.',
    rules: [{ action: 'allow', conditions: { default: true }, permissions: ['full_access'] }],
    defaultAction: 'deny',
    cases: [
      {
        name: 'an anonymous reader has the whole item',
        check: {},
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'a crawler may see a preview, because it may see the whole',
        check: { requesterId: 'some-crawler', permission: 'preview_only' },
        expect: { allowed: true },
      },
      {
        name: 'reading does not include the right to redistribute',
        check: { requesterId: 'some-crawler', permission: 'redistribution' },
        expect: { allowed: false, reason: 'permission_not_granted', rule: 0 },
      },
      {
        name: 'a suspended requester is denied',
        check: { requesterId: 'some-crawler', requester: { suspended: true } },
        expect: { allowed: false, reason: 'requester_suspended', rule: null },
      },
    ],
  },
  {
    id: 'licensed_only',
    object: 'policy_template',
    name: 'Licensed only',
    description:
      'A license that is valid for the item opens all of it; nothing else does. Denials say whether a license is missing or has expired.',
    rules: [
      { action: 'allow', conditions: { hasValidLicense: true }, permissions: ['full_access'] },
      { action: 'deny', conditions: { default: true }, message: 'This item requires a license.' },
    ],
    defaultAction: 'deny',
    cases: [
      {
        name: 'a license opens the whole item',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID] },
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'an anonymous reader has nothing',
        check: {},
        expect: { allowed: false, reason: 'no_license', permissions: [], rule: 1 },
      },
      {
        name: 'an unregistered requester has nothing',
        check: { requesterId: 'some-crawler' },
        expect: { allowed: false, reason: 'no_license', rule: 1 },
      },
      {
        name: 'a license ends exactly at its expiry',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], at: VALID.expiresAt },
        expect: { allowed: false, reason: 'license_expired', rule: 1 },
      },
      {
        name: 'a license that has not started opens nothing',
        check: {
          requesterId: 'a-partner',
          requester: {},
          licenses: [{ ...VALID, startsAt: '2030-01-01T00:00:00Z' }],
          at: '2029-12-31T23:59:59Z',
        },
        expect: { allowed: false, reason: 'no_license', rule: 1 },
      },
      {
        name: 'a license for data sets does not open an article',
        check: {
          content: { type: 'article' },
          requesterId: 'a-partner',
          requester: {},
          licenses: [{ ...VALID, scope: { contentTypes: ['dataset'] } }],
        },
        expect: { allowed: false, reason: 'no_license', rule: 1 },
      },
      {
        name: 'a suspended requester is denied even with a license',
        check: { requesterId: 'a-partner', requester: { suspended: true }, licenses: [VALID] },
        expect: { allowed: false, reason: 'requester_suspended', rule: null },
      },
    ],
  },
  {
    id: 'tiered',
    object: 'policy_template',
    name: 'Preview free, full access licensed',
    description: 'Everyone sees a preview and the metadata. A license that is valid for the item opens all of it.',
    rules: [
      { action: 'allow', conditions: { hasValidLicense: true }, permissions: ['full_access'] },
      {
        action: 'allow',
        conditions: { default: true },
        permissions: PREVIEW,
        message: 'This is a preview. A license gives access to the whole item.',
      },
    ],
    defaultAction: 'deny',
    cases: [
      {
        name: 'an anonymous reader has the preview',
        check: {},
        expect: { allowed: true, permissions: PREVIEW, rule: 1 },
      },
      {
        name: 'the whole item is denied without a license',
        check: { requesterId: 'some-crawler', permission: 'full_access' },
        expect: { allowed: false, reason: 'permission_not_granted', rule: 1 },
      },
      {
        name: 'a license opens the whole item',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], permission: 'full_access' },
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'an expired license leaves the preview',
        check: { requesterId: 'a-partner', requester: {}, licenses: [EXPIRED] },
        expect: { allowed: true, permissions: PREVIEW, rule: 1 },
      },
      {
        name: 'a license for other items leaves the preview',
        check: {
          contentId: 'article-1',
          requesterId: 'a-partner',
          requester: {},
          licenses: [{ ...VALID, scope: { contentIds: ['article-2'] } }],
        },
        expect: { allowed: true, permissions: PREVIEW, rule: 1 },
      },
    ],
  },
  {
    id: 'no_ai_training',
    object: 'policy_template',
    name: 'No AI training',
    description:
      'Everyone reads, for any purpose except training and fine-tuning, which no license opens either. A check must name its purpose: without one it is denied, so omitting it is no way around.',
    rules: [
      {
        action: 'allow',
        conditions: { purposeNot: ['training', 'fine_tuning'] },
        permissions: ['full_access'],
      },
      {
        action: 'deny',
        conditions: { default: true },
        message: 'Not for training or fine-tuning. Name another purpose.',
      },
    ],
    defaultAction: 'deny',
    cases: [
      {
        name: 'a reader reads',
        check: { purpose: 'reading' },
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'a search engine indexes',
        check: { requesterId: 'some-crawler', purpose: 'search' },
        expect: { allowed: true, rule: 0 },
      },
      {
        name: 'a model is not trained on it',
        check: { requesterId: 'some-crawler', purpose: 'training' },
        expect: { allowed: false, reason: 'policy_denied', permissions: [], rule: 1 },
      },
      {
        name: 'nor fine-tuned, even with a license',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], purpose: 'fine_tuning' },
        expect: { allowed: false, reason: 'policy_denied', rule: 1 },
      },
      {
        name: 'a check without a purpose is denied',
        check: { requesterId: 'some-crawler' },
        expect: { allowed: false, reason: 'policy_denied', rule: 1 },
      },
      {
        name: 'another purpose does not include the right to train',
        check: { requesterId: 'some-crawler', purpose: 'search', permission: 'training' },
        expect: { allowed: false, reason: 'permission_not_granted', rule: 0 },
      },
    ],
  },
  {
    id: 'embargo',
    object: 'policy_template',
    name: 'Embargo',
    description:
      'Closed until release, then open to everyone. Licenses with the feature `early_access` open it earlier. Replace 2100-01-01T00:00:00Z in `rules[1].conditions.time.after` with your release time; until then, it stays closed.',
    rules: [
      { action: 'allow', conditions: { licenseFeatures: ['early_access'] }, permissions: ['full_access'] },
      { action: 'allow', conditions: { time: { after: RELEASE } }, permissions: ['full_access'] },
      { action: 'deny', conditions: { default: true }, message: 'This item is under embargo.' },
    ],
    defaultAction: 'deny',
    cases: [
      {
        name: 'before the release it is closed',
        check: { at: BEFORE_RELEASE },
        expect: { allowed: false, reason: 'no_license', permissions: [], rule: 2 },
      },
      {
        name: 'from the release on it is open',
        check: { at: RELEASE },
        expect: { allowed: true, permissions: ['full_access'], rule: 1 },
      },
      {
        name: 'early access opens it before',
        check: {
          requesterId: 'a-newsroom',
          requester: {},
          licenses: [{ ...VALID, features: ['early_access'] }],
          at: BEFORE_RELEASE,
        },
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'a license without early access does not',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], at: BEFORE_RELEASE },
        expect: { allowed: false, reason: 'no_license', rule: 2 },
      },
      {
        name: 'expired early access does not',
        check: {
          requesterId: 'a-newsroom',
          requester: {},
          licenses: [{ ...EXPIRED, features: ['early_access'] }],
          at: BEFORE_RELEASE,
        },
        expect: { allowed: false, reason: 'license_expired', rule: 2 },
      },
      {
        name: 'an archived item stays closed after the release',
        check: { content: { archived: true }, at: RELEASE },
        expect: { allowed: false, reason: 'content_archived', rule: null },
      },
    ],
  },
];

const IDS = TEMPLATES.map(({ id }) => id);
const POSITION = new RegExp(`^(${IDS.join('|')})$`);

/** Returns a page in the order above. Throws InvalidCursor. */
export function listTemplates({ limit = PAGE_DEFAULT, cursor }: PageQuery): Page<PolicyTemplate> {
  const start = cursor === undefined ? 0 : IDS.indexOf(fromCursor(cursor, POSITION)) + 1;
  return cutPage(TEMPLATES.slice(start, start + limit + 1), limit, TEMPLATES.length, ({ id }) => id);
}
