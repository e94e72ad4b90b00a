/** The conditions a rule can carry, as the editor offers them. A test holds this table against the service's own. */

export type ConditionKind = 'flag' | 'texts' | 'choices' | 'metadata' | 'expiry' | 'time';

export interface ConditionRow {
  key: string;
  label: string;
  about: string;
  kind: ConditionKind;
  /** There is a negation, with the suffix `Not`. */
  negatable: boolean;
  group: 'Licence' | 'Requester' | 'Request' | 'Item' | 'Time';
  /** How it is compared, and how not. */
  verbs?: readonly [string, string];
  /** What can be chosen, or is often meant. */
  values?: readonly string[];
}

export const PERMISSIONS = [
  'full_access',
  'preview_only',
  'metadata_only',
  'commercial_use',
  'training',
  'fine_tuning',
  'inference',
  'redistribution',
] as const;

export const CONDITIONS: readonly ConditionRow[] = [
  {
    key: 'hasValidLicense',
    label: 'Has a valid licence',
    about: 'A licence that is valid for this item now',
    kind: 'flag',
    negatable: false,
    group: 'Licence',
  },
  {
    key: 'licenseType',
    label: 'Licence type',
    about: 'A valid licence has this type',
    kind: 'texts',
    negatable: true,
    group: 'Licence',
  },
  {
    key: 'licenseFeatures',
    label: 'Licence features',
    about: 'A valid licence has all of these',
    verbs: ['include', 'do not include'],
    kind: 'texts',
    negatable: true,
    group: 'Licence',
  },
  {
    key: 'licenseExpiry',
    label: 'Licence ends',
    about: 'When a valid licence ends',
    kind: 'expiry',
    negatable: false,
    group: 'Licence',
  },
  {
    key: 'requesterId',
    label: 'Requester',
    about: 'Who asks, by id',
    kind: 'texts',
    negatable: true,
    group: 'Requester',
  },
  {
    key: 'requesterType',
    label: 'Requester type',
    about: 'The type it was registered with',
    kind: 'texts',
    negatable: true,
    group: 'Requester',
  },
  {
    key: 'requesterTags',
    label: 'Requester tags',
    about: 'It has any of these tags',
    verbs: ['include', 'do not include'],
    kind: 'texts',
    negatable: true,
    group: 'Requester',
  },
  {
    key: 'requesterMetadata',
    label: 'Requester metadata',
    about: 'Its metadata has these values',
    kind: 'metadata',
    negatable: true,
    group: 'Requester',
  },
  {
    key: 'purpose',
    label: 'Purpose',
    about: 'What the item is wanted for',
    kind: 'texts',
    negatable: true,
    group: 'Request',
    values: ['reading', 'search', 'training', 'fine_tuning', 'inference'],
  },
  {
    key: 'permission',
    label: 'Right asked for',
    about: 'The permission the check names',
    kind: 'texts',
    negatable: true,
    group: 'Request',
    values: PERMISSIONS,
  },
  {
    key: 'country',
    label: 'Country',
    about: 'ISO 3166 alpha-2, in capitals',
    kind: 'texts',
    negatable: true,
    group: 'Request',
    values: ['AT', 'CH', 'CN', 'DE', 'FR', 'GB', 'IN', 'JP', 'US'],
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
  { key: 'contentId', label: 'Item', about: 'By its id or external id', kind: 'texts', negatable: true, group: 'Item' },
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
  { key: 'time', label: 'Time', about: 'The moment of the check', kind: 'time', negatable: false, group: 'Time' },
  {
    key: 'default',
    label: 'Everything else',
    about: 'A catch-all, asked after all other rules',
    kind: 'flag',
    negatable: false,
    group: 'Time',
  },
];

/** The row of a key, with or without the negation. */
export function rowOf(key: string): { row: ConditionRow; negated: boolean } | undefined {
  const row = CONDITIONS.find((one) => one.key === key);
  if (row !== undefined) return { row, negated: false };
  const positive = CONDITIONS.find((one) => one.negatable && `${one.key}Not` === key);
  return positive === undefined ? undefined : { row: positive, negated: true };
}

export const verbOf = ({ verbs = ['is', 'is not'] }: ConditionRow, negated: boolean): string => verbs[negated ? 1 : 0];

/** What a condition begins with in the editor. */
export function initialValue({ kind, key }: ConditionRow): unknown {
  if (kind === 'flag') return key === 'default';
  if (kind === 'expiry') return { after: 'now' };
  if (kind === 'time') return { days: ['mon', 'tue', 'wed', 'thu', 'fri'] };
  return kind === 'metadata' ? {} : [];
}
