/** The form of a sign-in link, which it shows once. */
import { Alert, Button, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { SecretText } from '../parts/copy.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { useWork } from '../parts/work.ts';
import { ROLES, type Role } from './roles.ts';

export function NewLink({ onClose }: { onClose: () => void }) {
  const write = useWrite();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [path, setPath] = useState<string>();
  const { busy, error, start } = useWork(async () => {
    const made = await write('POST /v1/users/links', { body: { name: name.trim(), role } });
    setPath(made.path);
  });
  if (path !== undefined) {
    return (
      <div className="fields">
        <Alert color="yellow">
          Send it to {name.trim()}: it signs in once, within 15 minutes, and is not shown again.
        </Alert>
        <SecretText text={window.location.origin + path} what="the link" />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </div>
    );
  }
  return (
    <form className="fields" onSubmit={start}>
      <TextInput
        label="Name"
        description="The audit log names this person. The same name is the same user."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        maxLength={200}
        data-autofocus
      />
      <Select
        label="Role"
        data={[...ROLES]}
        value={role}
        onChange={(value) => setRole(value ?? role)}
        allowDeselect={false}
      />
      <FormFoot error={error?.message} busy={busy} action="Create the link" onCancel={onClose} />
    </form>
  );
}
