/** Adds a program to the crawler directory, so that rules and reports name it. */
import { Alert, Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { type Crawler, PURPOSES } from '../crawlers/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { useWork } from '../parts/work.ts';
import { useMay } from '../shell/session.tsx';

/** Nothing for those who may not, and for the rest of a bounded list. */
export function AddToDirectory({ program }: { program: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('policies:write') || program === 'other') return null;
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
        Add to the directory…
      </Button>
      {isOpen && (
        <Dialog onClose={() => setOpen(false)} title={`Add ${program} to the directory`}>
          <AddForm program={program} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function AddForm({ program, onClose }: { program: string; onClose: () => void }) {
  const write = useWrite();
  const [token, setToken] = useState(program);
  const [name, setName] = useState(program);
  const [operator, setOperator] = useState('');
  const [purpose, setPurpose] = useState<Crawler['purpose'] | null>(null);
  const { busy, error, start } = useWork(async () => {
    if (purpose === null) return;
    const body = { token: token.trim(), name: name.trim(), operator: operator.trim() || null, purpose };
    await write('POST /v1/crawlers', { body }, onClose);
    notify(`${body.name} is in the directory.`);
  });
  return (
    <form className="fields" onSubmit={start}>
      <TextInput
        label="Token"
        description="A whole word of its user agents."
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        required
        maxLength={64}
      />
      <TextInput
        label="Name"
        description="Rules and reports use it."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        maxLength={64}
        data-autofocus
      />
      <TextInput
        label="Operator"
        description="Leave it empty if you do not know."
        value={operator}
        onChange={(event) => setOperator(event.currentTarget.value)}
        maxLength={64}
      />
      <Select
        label="Purpose"
        data={Object.entries(PURPOSES).map(([value, label]) => ({ value: value as Crawler['purpose'], label }))}
        value={purpose}
        onChange={setPurpose}
        allowDeselect={false}
        required
      />
      <Alert color="yellow">
        Rules on unknown programs no longer hold for it. Rules on its purpose do, from now on.
      </Alert>
      <FormFoot
        error={error?.message}
        busy={busy}
        action="Add to the directory"
        disabled={purpose === null}
        onCancel={onClose}
      />
    </form>
  );
}
