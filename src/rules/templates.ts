/**
 * Starting points for common policies. Promise: each can be stored as is, has no warnings, and has cases that hold. An
 * unedited template never grants more than its description says, which is stored with it: it says what the policy does,
 * and the console and the command say what to edit.
 */
import { RELEASE } from './placeholders.ts';
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
const BEFORE_RELEASE = '2099-12-31T23:59:59.999Z';
const PREVIEW = ['preview_only', 'metadata_only'];

type Expectation = TemplateCase['expect'];

const allows = (name: string, check: TemplateCase['check'], more: Partial<Expectation> = {}): TemplateCase => ({
  name,
  check,
  expect: { allowed: true, ...more },
});
const denies = (
  name: string,
  check: TemplateCase['check'],
  reason: string,
  more: Partial<Expectation>,
): TemplateCase => ({ name, check, expect: { allowed: false, reason, ...more } });
/** A check by a registered requester who holds this license. */
const partner = (license: object, more: object = {}): TemplateCase['check'] => ({
  requesterId: 'a-partner',
  requester: {},
  licenses: [license],
  ...more,
});
/** A check by a visitor with this user agent. */
const agent = (userAgent: string): TemplateCase['check'] => ({ context: { userAgent } });

export const TEMPLATES: readonly PolicyTemplate[] = [
  {
    id: 'open_access',
    object: 'policy_template',
    name: 'Open access',
    description:
      'Everyone reads everything, including anonymous readers. Rights of use, such as training or redistribution, are not granted.',
    rules: [{ action: 'allow', conditions: { default: true }, permissions: ['full_access'] }],
    defaultAction: 'deny',
    cases: [
      allows('an anonymous reader has the whole item', {}, { permissions: ['full_access'], rule: 0 }),
      allows('a crawler may see a preview, because it may see the whole', {
        requesterId: 'some-crawler',
        permission: 'preview_only',
      }),
      denies(
        'reading does not include the right to redistribute',
        { requesterId: 'some-crawler', permission: 'redistribution' },
        'permission_not_granted',
        { rule: 0 },
      ),
      denies(
        'a suspended requester is denied',
        { requesterId: 'some-crawler', requester: { suspended: true } },
        'requester_suspended',
        { rule: null },
      ),
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
      allows('a license opens the whole item', partner(VALID), { permissions: ['full_access'], rule: 0 }),
      denies('an anonymous reader has nothing', {}, 'no_license', { permissions: [], rule: 1 }),
      denies('an unregistered requester has nothing', { requesterId: 'some-crawler' }, 'no_license', { rule: 1 }),
      denies('a license ends exactly at its expiry', partner(VALID, { at: VALID.expiresAt }), 'license_expired', {
        rule: 1,
      }),
      denies(
        'a license that has not started opens nothing',
        partner({ ...VALID, startsAt: '2030-01-01T00:00:00Z' }, { at: '2029-12-31T23:59:59Z' }),
        'no_license',
        { rule: 1 },
      ),
      denies(
        'a license for data sets does not open an article',
        partner({ ...VALID, scope: { contentTypes: ['dataset'] } }, { content: { type: 'article' } }),
        'no_license',
        { rule: 1 },
      ),
      denies(
        'a suspended requester is denied even with a license',
        { requesterId: 'a-partner', requester: { suspended: true }, licenses: [VALID] },
        'requester_suspended',
        { rule: null },
      ),
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
      allows('an anonymous reader has the preview', {}, { permissions: PREVIEW, rule: 1 }),
      denies(
        'the whole item is denied without a license',
        { requesterId: 'some-crawler', permission: 'full_access' },
        'permission_not_granted',
        { rule: 1 },
      ),
      allows('a license opens the whole item', partner(VALID, { permission: 'full_access' }), {
        permissions: ['full_access'],
        rule: 0,
      }),
      allows('an expired license leaves the preview', partner(EXPIRED), { permissions: PREVIEW, rule: 1 }),
      allows(
        'a license for other items leaves the preview',
        partner({ ...VALID, scope: { contentIds: ['article-2'] } }, { contentId: 'article-1' }),
        { permissions: PREVIEW, rule: 1 },
      ),
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
      allows('a reader reads', { purpose: 'reading' }, { permissions: ['full_access'], rule: 0 }),
      allows('a search engine indexes', { requesterId: 'some-crawler', purpose: 'search' }, { rule: 0 }),
      denies('a model is not trained on it', { requesterId: 'some-crawler', purpose: 'training' }, 'policy_denied', {
        permissions: [],
        rule: 1,
      }),
      denies('nor fine-tuned, even with a license', partner(VALID, { purpose: 'fine_tuning' }), 'policy_denied', {
        rule: 1,
      }),
      denies('a check without a purpose is denied', { requesterId: 'some-crawler' }, 'policy_denied', { rule: 1 }),
      denies(
        'another purpose does not include the right to train',
        { requesterId: 'some-crawler', purpose: 'search', permission: 'training' },
        'permission_not_granted',
        { rule: 0 },
      ),
    ],
  },
  {
    id: 'ai_crawlers',
    object: 'policy_template',
    name: 'AI crawlers',
    description:
      'Browsers read, and so do crawlers for search, for indexes, for previews, for monitoring, and those that fetch a page for a person. Crawlers that collect training data need a license; a valid license opens the item to everyone who holds one. Programs of other purposes, such as download tools, programs that the directory of crawlers does not name, and checks without a user agent are denied. Rights of use, such as training, are not granted.',
    rules: [
      { action: 'allow', conditions: { hasValidLicense: true }, permissions: ['full_access'] },
      {
        action: 'deny',
        conditions: { crawlerPurpose: 'training', hasValidLicense: false },
        message: 'Collecting training data requires a license. To get one, write to licensing@example.com.',
      },
      {
        action: 'allow',
        conditions: { crawlerPurposeNot: ['training', 'other', 'unknown'] },
        permissions: ['full_access'],
      },
      {
        action: 'deny',
        conditions: { default: true },
        message: 'Only browsers and known crawlers have access without a license.',
      },
    ],
    defaultAction: 'deny',
    cases: [
      denies('a training crawler needs a license', agent('GPTBot/1.2'), 'no_license', { permissions: [], rule: 1 }),
      allows('a training crawler with a license reads', partner(VALID, agent('GPTBot/1.2')), {
        permissions: ['full_access'],
        rule: 0,
      }),
      denies(
        'a license that has expired no longer opens it',
        partner(EXPIRED, agent('ClaudeBot/1.0')),
        'license_expired',
        { rule: 1 },
      ),
      denies(
        'a license alone does not include the right to train',
        partner(VALID, { ...agent('GPTBot/1.2'), permission: 'training' }),
        'permission_not_granted',
        { rule: 0 },
      ),
      ...['OAI-SearchBot/1.0', 'ChatGPT-User/1.0', 'ia_archiver', 'Slackbot-LinkExpanding 1.0', 'UptimeRobot/2.0'].map(
        (name) => allows(`${name} is no training crawler and reads`, agent(name), { rule: 2 }),
      ),
      allows('a browser reads', agent('Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'), {
        permissions: ['full_access'],
        rule: 2,
      }),
      denies('a download tool is denied', agent('Wget/1.21'), 'no_license', { rule: 3 }),
      denies('an unknown program is denied', agent('Mozilla/5.0 (compatible; UnnamedBot/1.0)'), 'no_license', {
        rule: 3,
      }),
      denies('a check without a user agent is denied', {}, 'no_license', { permissions: [], rule: 3 }),
    ],
  },
  {
    id: 'embargo',
    object: 'policy_template',
    name: 'Embargo',
    description: 'Closed until release, then open to everyone. Licenses with early access open it earlier.',
    rules: [
      { action: 'allow', conditions: { licenseFeatures: ['early_access'] }, permissions: ['full_access'] },
      { action: 'allow', conditions: { time: { after: RELEASE } }, permissions: ['full_access'] },
      { action: 'deny', conditions: { default: true }, message: 'This item is under embargo.' },
    ],
    defaultAction: 'deny',
    cases: [
      denies('before the release it is closed', { at: BEFORE_RELEASE }, 'no_license', { permissions: [], rule: 2 }),
      allows('from the release on it is open', { at: RELEASE }, { permissions: ['full_access'], rule: 1 }),
      allows(
        'early access opens it before',
        partner({ ...VALID, features: ['early_access'] }, { requesterId: 'a-newsroom', at: BEFORE_RELEASE }),
        { permissions: ['full_access'], rule: 0 },
      ),
      denies('a license without early access does not', partner(VALID, { at: BEFORE_RELEASE }), 'no_license', {
        rule: 2,
      }),
      denies(
        'expired early access does not',
        partner({ ...EXPIRED, features: ['early_access'] }, { requesterId: 'a-newsroom', at: BEFORE_RELEASE }),
        'license_expired',
        { rule: 2 },
      ),
      denies(
        'an archived item stays closed after the release',
        { content: { archived: true }, at: RELEASE },
        'content_archived',
        { rule: null },
      ),
    ],
  },
];
