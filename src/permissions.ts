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

/** The key of a request. */
export interface Caller {
  keyId: string;
  /** The credential as the client sent it; the store holds only its hash. */
  credential: string;
  permissions: ReadonlySet<string>;
  /** A public key reads: its checks use up no limit and are not recorded. */
  readOnly: boolean;
}
