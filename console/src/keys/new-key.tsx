/** A new key: from a preset, or permission by permission. A key cannot give what it does not hold. */
import '@mantine/core/styles/Checkbox.css';
import { Checkbox, Modal, Select, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Body } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { holds, type Permission, useSession } from '../shell/session.tsx';
import { Shown } from './shown.tsx';

const PERMISSIONS: readonly [Permission, string, open: boolean][] = [
  ['content:read', 'Read content', true],
  ['content:write', 'Create, edit and delete content', false],
  ['policies:read', 'Read policies, requesters and licences', true],
  ['policies:write', 'Edit them', false],
  ['access:check', 'Ask for decisions', true],
  ['analytics:read', 'Read usage and the decision log', true],
  ['webhooks:manage', 'Manage webhooks', false],
  ['api_keys:manage', 'Manage keys, read the audit log', false],
];

interface Preset {
  value: string;
  label: string;
  type: 'secret' | 'public';
  permissions: Permission[];
}

const PRESETS: readonly Preset[] = [
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
    permissions: ['content:read', 'policies:read', 'policies:write', 'analytics:read', 'access:check'],
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
  { value: 'admin', label: 'Everything', type: 'secret', permissions: PERMISSIONS.map(([permission]) => permission) },
];

export function NewKey({ onClose }: { onClose: () => void }) {
  const write = useWrite();
  const session = useSession();
  const [preset, setPreset] = useState<Preset>(PRESETS[0] as Preset);
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<string[]>(preset.permissions);
  const [allowedIps, setAllowedIps] = useState<string[]>([]);
  const [expires, setExpires] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState<string>();

  const choose = (value: string | null) => {
    const chosen = PRESETS.find((one) => one.value === value) ?? preset;
    setPreset(chosen);
    setPermissions(chosen.permissions.filter((permission) => holds(session, permission)));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const all = permissions.length === PERMISSIONS.length && session.key.permissions.includes('*');
    try {
      const made = await write('POST /v1/api-keys', {
        body: {
          name: name.trim(),
          type: preset.type,
          permissions: (all ? ['*'] : permissions) as Body<'POST /v1/api-keys'>['permissions'] & {},
          ...(allowedIps.length === 0 ? {} : { allowedIps }),
          ...(expires === '' ? {} : { expiresAt: `${expires}T00:00:00Z` }),
        },
      });
      setText(made.key);
    } catch (failed) {
      setError((failed as Error).message);
      setBusy(false);
    }
  };

  if (text !== undefined) {
    return (
      <Modal opened onClose={onClose} title={`The key ${name}`} closeOnClickOutside={false}>
        <Shown text={text} onDone={onClose} />
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title="Create a key">
      <form className="fields" onSubmit={submit}>
        <TextInput
          label="Name"
          placeholder="website"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={200}
          data-autofocus
        />
        <Select
          label="What it is for"
          data={PRESETS.map(({ value, label }) => ({ value, label }))}
          value={preset.value}
          onChange={choose}
          allowDeselect={false}
        />
        <Checkbox.Group label="It may" value={permissions} onChange={setPermissions}>
          <div className="checks">
            {PERMISSIONS.map(([permission, label, open]) => (
              <Checkbox
                key={permission}
                value={permission}
                label={label}
                description={holds(session, permission) ? permission : `${permission}: your own key does not hold it`}
                disabled={!holds(session, permission) || (preset.type === 'public' && !open)}
              />
            ))}
          </div>
        </Checkbox.Group>
        <TagsInput
          label="Only from addresses"
          description="IPv4, IPv6 or CIDR; empty: from anywhere"
          placeholder={allowedIps.length === 0 ? '203.0.113.0/24' : ''}
          value={allowedIps}
          onChange={setAllowedIps}
          acceptValueOnBlur
        />
        <TextInput
          label="Expires"
          description="Empty: never"
          type="date"
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
        />
        <FormFoot
          error={error}
          busy={busy}
          action="Create the key"
          disabled={permissions.length === 0}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}
