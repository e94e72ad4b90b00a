/** The form of a new key: a preset, or single permissions. A key can only grant permissions it holds. */
import '@mantine/core/styles/Checkbox.css';
import { Checkbox, Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Body, Session } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { endOfDay } from '../parts/days.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { toRefused } from '../parts/refused.ts';
import { useWork } from '../parts/work.ts';
import { holds, useSession } from '../shell/session.tsx';
import { KeyText } from './key-text.tsx';
import { mayHold, PERMISSIONS, PRESETS, type Preset } from './presets.ts';

interface Fields {
  name: string;
  preset: Preset;
  permissions: string[];
  allowedIps: string[];
  /** The last day, or empty. */
  expires: string;
}

const [FIRST_PRESET] = PRESETS as [Preset, ...Preset[]];
const EMPTY: Fields = {
  name: '',
  preset: FIRST_PRESET,
  permissions: FIRST_PRESET.permissions,
  allowedIps: [],
  expires: '',
};

/** Grants everything as `*` where the session's own key holds it. */
function toBody(
  { name, preset, permissions, allowedIps, expires }: Fields,
  session: Session,
): Body<'POST /v1/api-keys'> {
  const all = permissions.length === PERMISSIONS.length && session.permissions.includes('*');
  return {
    name: name.trim(),
    type: preset.type,
    ...(preset.mode === undefined ? {} : { mode: preset.mode }),
    permissions: (all ? ['*'] : permissions) as Body<'POST /v1/api-keys'>['permissions'] & {},
    ...(allowedIps.length === 0 ? {} : { allowedIps }),
    ...(expires === '' ? {} : { expiresAt: endOfDay(expires) ?? expires }),
  };
}

export function NewKey({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ name: string; key: string }>();
  if (made !== undefined) {
    return (
      <Dialog onClose={onClose} title={`The key ${made.name}`}>
        <KeyText text={made.key} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog onClose={onClose} title="Create a key">
      <KeyForm onMade={(name, key) => setMade({ name, key })} onCancel={onClose} />
    </Dialog>
  );
}

const LABELS = { name: 'Name', allowedIps: 'Only from addresses', expiresAt: 'Last day' };

interface KeyFormProps {
  onMade: (name: string, key: string) => void;
  onCancel: () => void;
}

function KeyForm({ onMade, onCancel }: KeyFormProps) {
  const write = useWrite();
  const session = useSession();
  const [fields, setFields] = useState(EMPTY);
  const change = (some: Partial<Fields>) => setFields({ ...fields, ...some });

  const { busy, error, start } = useWork(async () => {
    const { key = '' } = await write('POST /v1/api-keys', { body: toBody(fields, session) });
    onMade(fields.name, key);
  });

  const refused = toRefused(error, LABELS, { allowedIps: fields.allowedIps });

  return (
    <form className="fields" onSubmit={start}>
      <TextInput
        label="Name"
        placeholder="website"
        value={fields.name}
        error={refused.at('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        required
        maxLength={200}
        data-autofocus
      />
      <PermissionFields fields={fields} onChange={change} />
      <TagsInput
        label="Only from addresses"
        description="IPv4, IPv6 or CIDR; empty: from anywhere"
        placeholder={fields.allowedIps.length === 0 ? '203.0.113.0/24' : ''}
        value={fields.allowedIps}
        error={refused.at('allowedIps')}
        onChange={(allowedIps) => change({ allowedIps })}
        acceptValueOnBlur
      />
      <TextInput
        label="Last day"
        description="Included; leave empty for no end"
        type="date"
        value={fields.expires}
        error={refused.at('expiresAt')}
        onChange={(event) => change({ expires: event.currentTarget.value })}
      />
      <FormFoot
        error={refused.elsewhere}
        busy={busy}
        action="Create the key"
        disabled={fields.permissions.length === 0}
        onCancel={onCancel}
      />
    </form>
  );
}

interface PermissionFieldsProps {
  fields: Fields;
  onChange: (some: Partial<Fields>) => void;
}

/** A preset fills in the permissions that the session's own key holds. */
function PermissionFields({ fields: { preset, permissions }, onChange }: PermissionFieldsProps) {
  const session = useSession();
  const choose = (value: string | null) => {
    const chosen = PRESETS.find((one) => one.value === value) ?? preset;
    onChange({ preset: chosen, permissions: chosen.permissions.filter((permission) => holds(session, permission)) });
  };
  return (
    <>
      <Select
        label="Preset"
        description={preset.mode === 'test' && 'Same rules and licenses. Counts apart, in no report.'}
        data={PRESETS.map(({ value, label }) => ({ value, label }))}
        value={preset.value}
        onChange={choose}
        allowDeselect={false}
      />
      <Checkbox.Group label="Permissions" value={permissions} onChange={(some) => onChange({ permissions: some })}>
        <div className="checks">
          {PERMISSIONS.map((row) => {
            const [permission, label] = row;
            return (
              <Checkbox
                key={permission}
                value={permission}
                label={label}
                description={holds(session, permission) ? permission : `${permission}: you do not hold it`}
                disabled={!holds(session, permission) || !mayHold(preset, row)}
              />
            );
          })}
        </div>
      </Checkbox.Group>
    </>
  );
}
