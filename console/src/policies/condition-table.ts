/** The conditions that the editor offers. A test compares this table with the service's. */
import { GRANTS } from '../../../src/rules/policy.ts';
import { PURPOSES } from '../crawlers/types.ts';

export type ConditionKind = 'flag' | 'texts' | 'choices' | 'records' | 'verified' | 'metadata' | 'expiry' | 'time';
/** Records that are found by name. */
export type RecordSource = 'collection' | 'requester' | 'content' | 'crawler' | 'country';
/** Texts in use. */
export type SuggestionSource =
  | 'hosts'
  | 'paths'
  | 'requesterTypes'
  | 'requesterTags'
  | 'licenseTypes'
  | 'licenseFeatures';

export interface ConditionRow {
  key: string;
  label: string;
  about: string;
  kind: ConditionKind;
  /** The condition has a negation with the suffix `Not`. */
  negatable: boolean;
  group: 'License' | 'Partner or bot' | 'Request' | 'Page' | 'Item' | 'Time';
  /** The comparison, and its negation. */
  verbs?: readonly [string, string];
  /** The allowed or common values. */
  values?: readonly string[];
  /** The words of values, for people. */
  words?: Readonly<Record<string, string>>;
  /** Where the values of `records` come from. */
  source?: RecordSource;
  /** Where suggestions for `texts` come from. */
  suggests?: SuggestionSource;
}

export const CONDITIONS: readonly ConditionRow[] = [
  {
    key: 'hasValidLicense',
    label: 'Has a valid license',
    about: 'A license that is valid for this item now',
    kind: 'flag',
    negatable: false,
    group: 'License',
  },
  {
    key: 'licenseType',
    label: 'License kind',
    about: 'A valid license is of this kind',
    kind: 'texts',
    negatable: true,
    group: 'License',
    suggests: 'licenseTypes',
  },
  {
    key: 'licenseFeatures',
    label: 'License extras',
    about: 'A valid license has all of these',
    verbs: ['include', 'do not include'],
    kind: 'texts',
    negatable: true,
    group: 'License',
    suggests: 'licenseFeatures',
  },
  {
    key: 'licenseExpiry',
    label: 'License ends',
    about: 'When a valid license ends',
    kind: 'expiry',
    negatable: false,
    group: 'License',
  },
  {
    key: 'requesterId',
    label: 'Partner or bot',
    about: 'One of your partners and bots, or the id of a stranger',
    kind: 'records',
    negatable: true,
    group: 'Partner or bot',
    source: 'requester',
  },
  {
    key: 'requesterType',
    label: 'Partner type',
    about: 'The type in your list',
    kind: 'texts',
    negatable: true,
    group: 'Partner or bot',
    suggests: 'requesterTypes',
  },
  {
    key: 'requesterTags',
    label: 'Partner tags',
    about: 'It has any of these tags',
    verbs: ['include', 'do not include'],
    kind: 'texts',
    negatable: true,
    group: 'Partner or bot',
    suggests: 'requesterTags',
  },
  {
    key: 'requesterMetadata',
    label: 'Partner metadata',
    about: 'Its metadata has these values',
    kind: 'metadata',
    negatable: true,
    group: 'Partner or bot',
  },
  {
    key: 'requesterVerified',
    label: 'Verified',
    about: 'It proved who it is',
    kind: 'verified',
    negatable: false,
    group: 'Partner or bot',
    values: ['token', 'signature', 'ip', 'dns', 'license'],
    words: {
      token: 'its token',
      signature: 'its signature',
      ip: 'its address',
      dns: 'its host name',
      license: 'a License token',
    },
  },
  {
    key: 'crawlerVerified',
    label: 'Crawler verified',
    about: 'The bot that the user agent names proved to be that bot; a token of a partner does not prove it',
    kind: 'flag',
    negatable: false,
    group: 'Partner or bot',
  },
  {
    key: 'crawler',
    label: 'Crawler',
    about: 'A known bot, by its name in the crawler directory',
    kind: 'records',
    negatable: true,
    group: 'Partner or bot',
    source: 'crawler',
  },
  {
    key: 'crawlerOperator',
    label: 'Crawler operator',
    about: 'The company behind the crawler, as the crawler directory names it',
    kind: 'texts',
    negatable: true,
    group: 'Partner or bot',
    values: ['OpenAI', 'Anthropic', 'Google', 'Microsoft', 'Meta', 'Amazon', 'Apple', 'Perplexity', 'ByteDance'],
  },
  {
    key: 'crawlerPurpose',
    label: 'Crawler purpose',
    about: 'What the crawler is for',
    kind: 'choices',
    negatable: true,
    group: 'Partner or bot',
    values: ['training', 'search', 'user_fetch', 'index', 'preview', 'monitoring', 'other', 'unknown'],
    words: { ...PURPOSES, unknown: 'Unknown program' },
  },
  {
    key: 'purpose',
    label: 'Purpose',
    about: 'The purpose that the check names',
    kind: 'texts',
    negatable: true,
    group: 'Request',
    values: ['reading', 'search', 'training', 'fine_tuning', 'inference'],
  },
  {
    key: 'permission',
    label: 'Right asked for',
    about: 'The right that the check names',
    kind: 'texts',
    negatable: true,
    group: 'Request',
    values: GRANTS,
  },
  {
    key: 'country',
    label: 'Country',
    about: 'The country of the visitor',
    kind: 'records',
    negatable: true,
    group: 'Request',
    source: 'country',
  },
  {
    key: 'ip',
    label: 'Address',
    about: 'An IPv4 or IPv6 address or CIDR range',
    kind: 'texts',
    negatable: true,
    group: 'Request',
  },
  {
    key: 'userAgent',
    label: 'User agent',
    about: 'It contains this text',
    verbs: ['contains', 'does not contain'],
    kind: 'texts',
    negatable: true,
    group: 'Request',
    values: ['GPTBot', 'ClaudeBot', 'CCBot', 'Bytespider', 'PerplexityBot'],
  },
  {
    key: 'attributes',
    label: 'Attribute',
    about: 'Your server states these values of the subject, the action and the resource, such as subject.role',
    kind: 'metadata',
    negatable: true,
    group: 'Request',
  },
  {
    key: 'host',
    label: 'Host',
    about: 'Such as www.example.com or *.example.com',
    kind: 'texts',
    negatable: true,
    group: 'Page',
    suggests: 'hosts',
  },
  {
    key: 'path',
    label: 'Path',
    about: 'A prefix such as /news/, or a pattern such as /*.pdf$',
    verbs: ['matches', 'does not match'],
    kind: 'texts',
    negatable: true,
    group: 'Page',
    suggests: 'paths',
  },
  {
    key: 'collection',
    label: 'Collection',
    about: 'The address or item falls in it',
    kind: 'records',
    negatable: true,
    group: 'Page',
    source: 'collection',
  },
  {
    key: 'contentId',
    label: 'Item',
    about: 'One item; found by its title',
    kind: 'records',
    negatable: true,
    group: 'Item',
    source: 'content',
  },
  {
    key: 'contentType',
    label: 'Item type',
    about: 'What kind of item it is',
    kind: 'choices',
    negatable: true,
    group: 'Item',
    values: ['article', 'report', 'image', 'dataset', 'video'],
  },
  {
    key: 'contentTags',
    label: 'Item tags',
    about: 'It has any of these tags',
    verbs: ['include', 'do not include'],
    kind: 'texts',
    negatable: true,
    group: 'Item',
  },
  {
    key: 'contentMetadata',
    label: 'Item metadata',
    about: 'Its metadata has these values',
    kind: 'metadata',
    negatable: true,
    group: 'Item',
  },
  { key: 'time', label: 'Time', about: 'The time of the check', kind: 'time', negatable: false, group: 'Time' },
  {
    key: 'default',
    label: 'Everything else',
    about: 'Evaluated after all other rules',
    kind: 'flag',
    negatable: false,
    group: 'Time',
  },
];

/** Returns the row of a condition's key, negated or not. */
export function findRow(key: string): { row: ConditionRow; negated: boolean } | undefined {
  const row = CONDITIONS.find((one) => one.key === key);
  if (row !== undefined) return { row, negated: false };
  const positive = CONDITIONS.find((one) => one.negatable && `${one.key}Not` === key);
  return positive === undefined ? undefined : { row: positive, negated: true };
}

export const getVerb = ({ verbs = ['is', 'is not'] }: ConditionRow, negated: boolean): string => verbs[negated ? 1 : 0];
