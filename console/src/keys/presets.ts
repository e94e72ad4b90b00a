/** The permissions of a key, and presets for common systems. */
import type { Permission } from '../shell/session.tsx';

/** `open` permissions are those that a public key may hold. */
export const PERMISSIONS: readonly [Permission, label: string, open: boolean][] = [
  ['content:read', 'Read content', true],
  ['content:write', 'Create, edit and delete content', false],
  ['policies:read', 'Read policies, partners and licenses', true],
  ['policies:write', 'Edit policies, partners and licenses', false],
  ['requesters:read', 'Read partners and licenses', false],
  ['requesters:write', 'Edit partners and licenses', false],
  ['access:check', 'Ask for decisions', true],
  ['analytics:read', 'Read usage and the decision log', true],
  ['webhooks:manage', 'Manage webhooks', false],
  ['api_keys:manage', 'Manage keys, read the audit log', false],
];

export interface Preset {
  value: string;
  label: string;
  type: 'secret' | 'public';
  /** Without it, the key is live. */
  mode?: 'test';
  permissions: Permission[];
}

/** Returns whether a key of this preset may hold a permission. */
export function mayHold({ type, mode }: Preset, [permission, , open]: (typeof PERMISSIONS)[number]): boolean {
  const isReading = permission.endsWith(':read') || permission === 'access:check';
  return (type === 'secret' || open) && (mode === undefined || isReading);
}

export const PRESETS: readonly Preset[] = [
  { value: 'server', label: 'Server that asks for decisions', type: 'secret', permissions: ['access:check'] },
  {
    value: 'catalogue',
    label: 'Publishing system that registers content',
    type: 'secret',
    permissions: ['content:read', 'content:write', 'policies:read'],
  },
  {
    value: 'licensing',
    label: 'Licensing manager',
    type: 'secret',
    permissions: [
      'content:read',
      'policies:read',
      'requesters:read',
      'requesters:write',
      'analytics:read',
      'access:check',
    ],
  },
  {
    value: 'reports',
    label: 'Reports only',
    type: 'secret',
    permissions: ['analytics:read', 'content:read', 'policies:read'],
  },
  {
    value: 'browser',
    label: 'Browser or app: a public key',
    type: 'public',
    permissions: ['content:read', 'access:check'],
  },
  {
    value: 'test',
    label: 'Test key: try an integration',
    type: 'secret',
    mode: 'test',
    permissions: ['content:read', 'policies:read', 'access:check', 'analytics:read'],
  },
  { value: 'admin', label: 'Everything', type: 'secret', permissions: PERMISSIONS.map(([permission]) => permission) },
];
