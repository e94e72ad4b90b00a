/** What can happen to a record: the closed list of kinds of change. */
export const KINDS = {
  'content.created': 'An item was registered',
  'content.updated': 'An item was edited',
  'content.archived': 'Access to an item was switched off',
  'content.restored': 'Access to an item was switched on again',
  'content.deleted': 'An item was deleted, with its decisions',
  'policy.created': 'A policy was created',
  'policy.updated': 'A policy has a new version',
  'policy.rolled_back': 'A policy has a new version with the rules of an old one',
  'policy.deleted': 'A policy was deleted',
  'requester.created': 'A requester was registered',
  'requester.updated': 'A requester was edited',
  'requester.deleted': 'A requester was deleted, with its licenses',
  'license.created': 'A license was given',
  'license.updated': 'A license was edited',
  'license.revoked': 'A license was revoked or deleted',
  'api_key.created': 'A key was created',
  'api_key.rotated': 'A key was replaced by a new one',
  'api_key.revoked': 'A key was revoked',
} as const;

export type ChangeKind = keyof typeof KINDS;
