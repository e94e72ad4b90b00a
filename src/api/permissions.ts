/** Permissions: the modes of keys, what keys may do, and the roles of people, each a table. */

/** Modes of keys. The checks of a test key are decided by the same rules, and recorded and counted apart. */
export const MODES = ['live', 'test'] as const;
export type Mode = (typeof MODES)[number];

/** The permissions of keys, and which of them public keys may hold. Validation and the docs follow from this table. */
export const PERMISSIONS = {
  'content:read': { public: true, doc: 'Read content' },
  'content:write': { public: false, doc: 'Create, update and delete content' },
  'policies:read': { public: true, doc: 'Read policies, their versions and differences' },
  'policies:write': { public: false, doc: 'Create, update and delete policies' },
  'requesters:read': { public: false, doc: 'Read requesters and licenses' },
  'requesters:write': { public: false, doc: 'Create, update and delete requesters and licenses' },
  'access:check': { public: true, doc: 'Ask for decisions' },
  'analytics:read': { public: true, doc: 'Read usage and the decision log' },
  'webhooks:manage': { public: false, doc: 'Manage webhooks' },
  'api_keys:manage': { public: false, doc: 'Manage API keys' },
  '*': { public: false, doc: 'Everything' },
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** Returns whether test keys may hold a permission: what they could change is live, so they only read and check. */
export const isForTests = (permission: Permission): boolean =>
  permission.endsWith(':read') || permission === 'access:check';

/** Requesters once belonged to the permissions of policies: keys that hold those keep what they could do. */
const IMPLIED: { readonly [P in Permission]?: Permission } = {
  'policies:read': 'requesters:read',
  'policies:write': 'requesters:write',
};

/** Returns what a key with these permissions may do, implied ones included. */
export const permissionsOfKey = (listed: readonly Permission[]): ReadonlySet<Permission> =>
  new Set(listed.flatMap((one) => [one, ...(IMPLIED[one] === undefined ? [] : [IMPLIED[one]])]));

/** `*` holds every permission. */
export const holdsPermission = (held: ReadonlySet<string>, wanted: Permission): boolean =>
  held.has('*') || held.has(wanted);

interface RoleRow {
  doc: string;
  permissions: readonly Permission[];
  /** Like a public key: its checks use up no limit and are not recorded, and it tries no rules of its own. */
  readOnly: boolean;
}

const READING = ['content:read', 'policies:read', 'requesters:read', 'access:check', 'analytics:read'] as const;

/**
 * The roles of people, from the least to the most. Unlike the permissions of keys, those of a role imply no others: an
 * editor changes no licenses.
 */
export const ROLES = {
  viewer: {
    doc: 'Reads content, policies, partners and bots, licenses and usage',
    permissions: READING,
    readOnly: true,
  },
  licensing: {
    doc: 'A viewer who also manages partners and bots, licenses and offers',
    permissions: [...READING, 'requesters:write'],
    readOnly: false,
  },
  editor: {
    doc: 'A viewer who also manages content, collections and policies',
    permissions: [...READING, 'content:write', 'policies:write'],
    readOnly: false,
  },
  admin: { doc: 'Everything, also keys, people, webhooks and the audit log', permissions: ['*'], readOnly: false },
} as const satisfies Record<string, RoleRow>;

export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** The key or the person behind a request. */
export interface Caller {
  /** Id of the key, or of the user who is signed in. */
  keyId: string;
  /** The role of a user; keys have none. */
  role?: Role;
  /** The credential as the client sent it; the store holds only its hash. */
  credential: string;
  /** The mode of the key; people and partners are live. */
  mode: Mode;
  permissions: ReadonlySet<string>;
  /** A public key reads: its checks use up no limit and are not recorded. */
  readOnly: boolean;
}

/** Viewers are read-only, too, but people whom the publisher knows. */
export const isPublicKey = ({ readOnly, role }: Caller): boolean => readOnly && role === undefined;
