/**
 * Policies to begin with, for what publishers most often want. Promise: each can be stored as it is, has no warnings, and
 * carries cases that hold; a template that is left unedited never gives more than its description says.
 */
import { fromCursor, PAGE_DEFAULT, type Page, type PageQuery, toCursor } from '../db/page.ts';
import type { Action, Rule } from './policy.ts';

/** A check and what must come of it, as a policy file writes them. */
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

/** A licence that outlives whoever reads this: cases must not fail because time passes. */
const VALID = { type: 'standard', expiresAt: '2199-01-01T00:00:00Z' };
const RUN_OUT = { type: 'standard', expiresAt: '2020-01-01T00:00:00Z' };
/** A moment that nobody takes for their own. One that was forgotten keeps the items closed; it never opens them. */
const RELEASE = '2100-01-01T00:00:00Z';
const BEFORE_RELEASE = '2099-12-31T23:59:59.999Z';
const PREVIEW = ['preview_only', 'metadata_only'];

export const TEMPLATES: readonly PolicyTemplate[] = [
  {
    id: 'open_access',
    object: 'policy_template',
    name: 'Open access',
    description:
      'Everybody reads everything, anonymous readers included. Rights of use, such as training or redistribution, are not granted; add those you give away to `permissions`.',
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
        name: 'reading is no right to redistribute',
        check: { requesterId: 'some-crawler', permission: 'redistribution' },
        expect: { allowed: false, reason: 'permission_not_granted', rule: 0 },
      },
      {
        name: 'who is suspended stays out',
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
      'Who holds a licence that is valid for the item has all of it; nobody else has anything. Denials say whether a licence is missing or has run out.',
    rules: [
      { action: 'allow', conditions: { hasValidLicense: true }, permissions: ['full_access'] },
      { action: 'deny', conditions: { default: true }, message: 'A licence is needed for this item.' },
    ],
    defaultAction: 'deny',
    cases: [
      {
        name: 'a licence opens the whole item',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID] },
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'an anonymous reader has nothing',
        check: {},
        expect: { allowed: false, reason: 'no_license', permissions: [], rule: 1 },
      },
      {
        name: 'a requester that nobody registered has nothing',
        check: { requesterId: 'some-crawler' },
        expect: { allowed: false, reason: 'no_license', rule: 1 },
      },
      {
        name: 'a licence ends at the very moment it says',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], at: VALID.expiresAt },
        expect: { allowed: false, reason: 'license_expired', rule: 1 },
      },
      {
        name: 'a licence that has not begun opens nothing',
        check: {
          requesterId: 'a-partner',
          requester: {},
          licenses: [{ ...VALID, startsAt: '2030-01-01T00:00:00Z' }],
          at: '2029-12-31T23:59:59Z',
        },
        expect: { allowed: false, reason: 'no_license', rule: 1 },
      },
      {
        name: 'a licence for data sets does not open an article',
        check: {
          content: { type: 'article' },
          requesterId: 'a-partner',
          requester: {},
          licenses: [{ ...VALID, scope: { contentTypes: ['dataset'] } }],
        },
        expect: { allowed: false, reason: 'no_license', rule: 1 },
      },
      {
        name: 'who is suspended stays out, licence or not',
        check: { requesterId: 'a-partner', requester: { suspended: true }, licenses: [VALID] },
        expect: { allowed: false, reason: 'requester_suspended', rule: null },
      },
    ],
  },
  {
    id: 'tiered',
    object: 'policy_template',
    name: 'Preview free, full access licensed',
    description:
      'Everybody sees a preview and the metadata. Who holds a licence that is valid for the item has all of it.',
    rules: [
      { action: 'allow', conditions: { hasValidLicense: true }, permissions: ['full_access'] },
      {
        action: 'allow',
        conditions: { default: true },
        permissions: PREVIEW,
        message: 'This is a preview. A licence gives access to the whole item.',
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
        name: 'who asks for the whole without a licence does not get it',
        check: { requesterId: 'some-crawler', permission: 'full_access' },
        expect: { allowed: false, reason: 'permission_not_granted', rule: 1 },
      },
      {
        name: 'a licence opens the whole item',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], permission: 'full_access' },
        expect: { allowed: true, permissions: ['full_access'], rule: 0 },
      },
      {
        name: 'a licence that has run out leaves the preview',
        check: { requesterId: 'a-partner', requester: {}, licenses: [RUN_OUT] },
        expect: { allowed: true, permissions: PREVIEW, rule: 1 },
      },
      {
        name: 'a licence for other items leaves the preview',
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
      'Everybody reads, for any purpose but training and fine-tuning, which no licence opens either. A check must say what the content is wanted for: one without a purpose is denied, so that leaving it out is no way around.',
    rules: [
      {
        action: 'allow',
        conditions: { purposeNot: ['training', 'fine_tuning'] },
        permissions: ['full_access'],
      },
      {
        action: 'deny',
        conditions: { default: true },
        message: 'Not for training or fine-tuning. Say what else the content is wanted for.',
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
        name: 'nor tuned, and a licence does not change that',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], purpose: 'fine_tuning' },
        expect: { allowed: false, reason: 'policy_denied', rule: 1 },
      },
      {
        name: 'who does not say what for has nothing',
        check: { requesterId: 'some-crawler' },
        expect: { allowed: false, reason: 'policy_denied', rule: 1 },
      },
      {
        name: 'another purpose does not bring the right to train',
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
      'Closed until the moment of release, then open to everybody. Licences with the feature `early_access` open it before. Put your moment in the place of 2100-01-01T00:00:00Z in `rules[1].conditions.time.after`; until you do, it stays closed.',
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
        name: 'a licence without early access does not',
        check: { requesterId: 'a-partner', requester: {}, licenses: [VALID], at: BEFORE_RELEASE },
        expect: { allowed: false, reason: 'no_license', rule: 2 },
      },
      {
        name: 'early access that has run out does not',
        check: {
          requesterId: 'a-newsroom',
          requester: {},
          licenses: [{ ...RUN_OUT, features: ['early_access'] }],
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

/** One page, in the order above. Throws invalid_cursor. */
export function listTemplates({ limit = PAGE_DEFAULT, cursor }: PageQuery): Page<PolicyTemplate> {
  const start = cursor === undefined ? 0 : IDS.indexOf(fromCursor(cursor, POSITION)) + 1;
  const data = TEMPLATES.slice(start, start + limit);
  const last = data.at(-1);
  const hasMore = start + limit < TEMPLATES.length;
  return {
    object: 'list',
    data,
    hasMore,
    totalCount: TEMPLATES.length,
    nextCursor: hasMore && last !== undefined ? toCursor(last.id) : null,
  };
}
