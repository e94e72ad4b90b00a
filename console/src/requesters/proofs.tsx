/** The proofs of a partner or bot: shown, added, edited and removed. */
import { Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { callTagged, PosternError } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { Identities } from '../crawlers/identities.tsx';
import type { Identity } from '../crawlers/types.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { IconPlus } from '../parts/icons.ts';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify } from '../parts/notices.tsx';
import { useWork } from '../parts/work.ts';
import { changeProofs, findLine, NO_FIELDS, type ProofFields, toFields, toIdentity, type Way } from './proof-fields.ts';
import type { Requester } from './types.ts';

interface Opened {
  how: 'edit' | 'remove';
  /** Undefined for a new one. */
  proof?: Identity;
}

export function Proofs({ requester }: { requester: Requester }) {
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <>
      <Identities
        of={requester.identities}
        none="No other proof"
        actions={
          <MayButton
            permission="requesters:write"
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setOpened({ how: 'edit' })}
          >
            Add a proof
          </MayButton>
        }
        menu={(proof) => (
          <MoreMenu
            of={nameOf(proof)}
            permission="requesters:write"
            small
            actions={[
              { label: 'Edit…', onClick: () => setOpened({ how: 'edit', proof }) },
              { label: 'Remove…', hurts: true, onClick: () => setOpened({ how: 'remove', proof }) },
            ]}
          />
        )}
      />
      {opened?.how === 'edit' && <Edit requester={requester} proof={opened.proof} onClose={close} />}
      {opened?.how === 'remove' && opened.proof !== undefined && (
        <Remove requester={requester} proof={opened.proof} onClose={close} />
      )}
    </>
  );
}

/** Changes one proof in the list as it is stored now: the page may be older. */
function useChange(id: string): (change: Parameters<typeof changeProofs>[1]) => Promise<void> {
  const write = useWrite();
  return async (change) => {
    const path = { id };
    const { answer, etag: ifMatch } = await callTagged('GET /v1/requesters/{id}', { path });
    const body = { identities: changeProofs(answer.identities, change) };
    await write('PATCH /v1/requesters/{id}', { path, body, ...(ifMatch === null ? {} : { ifMatch }) });
  };
}

interface ProofProps {
  requester: Requester;
  proof: Identity;
  onClose: () => void;
}

function Remove({ requester: { id, name, identities }, proof, onClose }: ProofProps) {
  const change = useChange(id);
  return (
    <Confirm
      title={`Remove ${nameOf(proof)}?`}
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await change({ before: proof });
        notify(`${name} is no longer proven by ${nameOf(proof)}.`);
      }}
    >
      {identities.length > 1
        ? 'Visitors that only this proof verifies are unverified from now on, or count as impostors.'
        : 'It is the only one: from now on anybody can use this name, unless your rules ask for a token or another proof.'}
    </Confirm>
  );
}

interface EditProps extends Omit<ProofProps, 'proof'> {
  proof: Identity | undefined;
}

function Edit({ requester: { id, name }, proof, onClose }: EditProps) {
  const change = useChange(id);
  const [fields, setFields] = useState<ProofFields>(() => (proof === undefined ? NO_FIELDS : toFields(proof)));
  const { busy, error, start } = useWork(async () => {
    await change({ before: proof, after: toIdentity(fields) });
    notify(`What proves ${name} is saved.`);
    onClose();
  });
  return (
    <Dialog onClose={onClose} title={proof === undefined ? `Add a proof of ${name}` : `Edit ${nameOf(proof)}`}>
      <form className="fields" onSubmit={start}>
        <Select
          label="What proves it"
          data={CHOICES}
          value={fields.way}
          onChange={(way) => way !== null && setFields({ ...fields, way })}
          allowDeselect={false}
        />
        <Field of={fields} onChange={(text) => setFields({ ...fields, [fields.way]: text })} />
        <FormFoot
          error={error === undefined ? undefined : toMessage(error, toIdentity(fields))}
          busy={busy}
          action={proof === undefined ? 'Add' : 'Save'}
          disabled={fields[fields.way].trim() === ''}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

const CHOICES: { value: Way; label: string }[] = [
  { value: 'ranges', label: 'Addresses that you list here' },
  { value: 'list', label: 'A list of addresses that it publishes' },
  { value: 'dns', label: 'The host name of its address' },
  { value: 'signature', label: 'Its signature' },
];

const FIELDS: Record<Way, { label: string; description: string; placeholder: string }> = {
  ranges: { label: 'Addresses and ranges', description: 'One per line', placeholder: '203.0.113.0/24' },
  list: {
    label: 'Address of the list',
    description: 'Fetched once a day: JSON with prefixes, a geofeed, or a range on each line.',
    placeholder: 'https://partner.example/addresses.json',
  },
  dns: {
    label: 'Ends of its host names',
    description: 'One per line. The name must also lead back to the address.',
    placeholder: 'crawl.example.com',
  },
  signature: {
    label: 'Signature agent',
    description: 'Where it publishes the keys with which it signs (Web Bot Auth).',
    placeholder: 'https://bot.example',
  },
};

function Field({ of, onChange }: { of: ProofFields; onChange: (text: string) => void }) {
  const { way } = of;
  const common = {
    ...FIELDS[way],
    value: of[way],
    required: true,
    spellCheck: false,
    autoComplete: 'off',
    'data-autofocus': true,
  };
  if (way === 'list' || way === 'signature')
    return (
      <TextInput {...common} type="url" maxLength={2048} onChange={(event) => onChange(event.currentTarget.value)} />
    );
  return (
    <Textarea {...common} autosize minRows={3} maxRows={14} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

/** The field at fault in the words of this form, not as a path into the request. */
function toMessage(error: Error, identity: Identity): string {
  if (!(error instanceof PosternError)) return error.message;
  const line = findLine(error.param, identity);
  const rest = /^`identities\[\d+\][^`]*`/.exec(error.message)?.[0];
  return rest === undefined
    ? error.message
    : `${line ?? FIELDS[toFields(identity).way].label}${error.message.slice(rest.length)}`;
}

function nameOf(proof: Identity): string {
  if (proof.kind === 'signature') return `the signature of ${hostOf(proof.agent)}`;
  if (proof.kind === 'dns') return shorten('the host names', proof.suffixes);
  return 'list' in proof ? `the list at ${hostOf(proof.list)}` : shorten('the addresses', proof.ranges);
}

const hostOf = (url: string): string => new URL(url).host;
const shorten = (what: string, [first = '', ...more]: readonly string[]): string =>
  `${what} ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
