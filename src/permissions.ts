/** What a key may hold, and whether a public key may. From it come validation, the permission matrix and the docs. */
export const PERMISSIONS = {
  'content:read': { public: true, doc: 'Read content' },
  'content:write': { public: false, doc: 'Create, update and delete content' },
  'policies:read': { public: true, doc: 'Read policies, their versions and differences' },
  'policies:write': { public: false, doc: 'Create, update and delete policies' },
  'access:check': { public: true, doc: 'Ask for decisions' },
  'analytics:read': { public: true, doc: 'Read usage and the decision log' },
  'webhooks:manage': { public: false, doc: 'Manage webhooks' },
  'api_keys:manage': { public: false, doc: 'Manage API keys' },
  '*': { public: false, doc: 'Everything' },
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** `*` holds every permission; no permission implies another. */
export const holdsPermission = (held: ReadonlySet<string>, wanted: Permission): boolean =>
  held.has('*') || held.has(wanted);
