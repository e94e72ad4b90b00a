/** The tokens of a partner: created, rotated and revoked. A new one is shown once, with the page that it opens. */
import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Row } from '../api/client.ts';
import { useRead, useWrite } from '../api/read.ts';
import { Confirm, MayButton } from '../parts/act.tsx';
import { SecretText } from '../parts/copy.tsx';
import { endOfDay } from '../parts/days.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { IconPlus } from '../parts/icons.ts';
import { type Column, List } from '../parts/list.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { formatLastDay, Time } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useWork } from '../parts/work.ts';

type Token = Row<'GET /v1/requesters/{id}/tokens'>;

const SHOWN = 100;
/** Both tokens work meanwhile. */
const GRACE_SECONDS = 86_400;

export function Tokens({ requesterId, name }: { requesterId: string; name: string }) {
  const tokens = useRead('GET /v1/requesters/{id}/tokens', { path: { id: requesterId }, query: { limit: SHOWN } });
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<string>();
  const close = () => setCreating(false);
  const create = (
    <MayButton
      permission="requesters:write"
      size="compact-sm"
      variant="default"
      leftSection={<IconPlus size={14} />}
      onClick={() => setCreating(true)}
    >
      Create a token
    </MayButton>
  );
  return (
    <Panel
      title="Tokens"
      lead="A token proves who it is, and opens its own page."
      actions={tokens.data?.data.length !== 0 && create}
    >
      <Loaded of={tokens} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No tokens" action={create}>
              With a token, it sees its licenses, usage and statements.
            </Empty>
          ) : (
            <List caption="Tokens" tight records={data} idOf={({ id }) => id} columns={toColumns(setMade)} />
          )
        }
      </Loaded>
      {creating && (
        <Dialog onClose={close} title={`Create a token for ${name}`}>
          <TokenForm
            requesterId={requesterId}
            onCancel={close}
            onMade={(token) => {
              setMade(token);
              close();
            }}
          />
        </Dialog>
      )}
      {made !== undefined && <Made token={made} name={name} onClose={() => setMade(undefined)} />}
    </Panel>
  );
}

const toColumns = (onMade: (token: string) => void): Column<Token>[] => [
  {
    label: 'Name',
    show: ({ name, prefix }) => (
      <>
        {name}
        <code className="under">{prefix}…</code>
      </>
    ),
  },
  { label: 'Last used', narrow: true, show: ({ lastUsedAt }) => <Time at={lastUsedAt} absent="never" /> },
  {
    label: 'Last day',
    narrow: true,
    show: ({ expiresAt }) => (expiresAt === null ? 'no end' : formatLastDay(expiresAt)),
  },
  { label: '', narrow: true, show: (token) => <Actions token={token} onMade={onMade} /> },
];

interface TokenFormProps {
  requesterId: string;
  onMade: (token: string) => void;
  onCancel: () => void;
}

function TokenForm({ requesterId, onMade, onCancel }: TokenFormProps) {
  const write = useWrite();
  const [name, setName] = useState('');
  const [last, setLast] = useState('');
  const { busy, error, start } = useWork(async () => {
    const { token = '' } = await write('POST /v1/requesters/{id}/tokens', {
      path: { id: requesterId },
      body: { name: name.trim(), ...(last === '' ? {} : { expiresAt: endOfDay(last) ?? last }) },
    });
    onMade(token);
  });
  return (
    <form className="fields" onSubmit={start}>
      <TextInput
        label="Name"
        description="Where it is used"
        placeholder="Production"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        maxLength={200}
        data-autofocus
      />
      <TextInput
        label="Last day"
        description="Included; leave empty for no end"
        type="date"
        value={last}
        onChange={(event) => setLast(event.currentTarget.value)}
      />
      <FormFoot error={error?.message} busy={busy} action="Create the token" onCancel={onCancel} />
    </form>
  );
}

interface MadeProps {
  token: string;
  name: string;
  onClose: () => void;
}

function Made({ token, name, onClose }: MadeProps) {
  return (
    <Dialog onClose={onClose} title={`The token of ${name}`}>
      <div className="fields">
        <Alert color="yellow">Copy it now: it is not shown again, and cannot be looked up.</Alert>
        <SecretText text={token} what="the token" />
        <p className="soft small">
          {name} sends it with its requests, and signs in with it at {window.location.origin}/partner.
        </p>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </div>
    </Dialog>
  );
}

function Actions({ token, onMade }: { token: Token; onMade: (token: string) => void }) {
  const write = useWrite();
  const [dialog, setDialog] = useState<'rotate' | 'revoke'>();
  const close = () => setDialog(undefined);
  const path = { id: token.requesterId, tokenId: token.id };
  const rotate = async () => {
    const body = { graceSeconds: GRACE_SECONDS };
    onMade((await write('POST /v1/requesters/{id}/tokens/{tokenId}/rotate', { path, body })).token ?? '');
  };
  const revoke = async () => {
    await write('DELETE /v1/requesters/{id}/tokens/{tokenId}', { path });
    notify(`${token.name} is revoked.`);
  };
  return (
    <>
      <MoreMenu
        of={`the token ${token.name}`}
        permission="requesters:write"
        small
        actions={[
          { label: 'Rotate…', onClick: () => setDialog('rotate') },
          { label: 'Revoke…', hurts: true, onClick: () => setDialog('revoke') },
        ]}
      />
      {dialog === 'rotate' && (
        <Confirm title={`Rotate ${token.name}?`} action="Rotate" onClose={close} onConfirm={rotate}>
          A new token is created with the same last day; the old one works for another day.
        </Confirm>
      )}
      {dialog === 'revoke' && (
        <Confirm title={`Revoke ${token.name}?`} action="Revoke for good" onClose={close} onConfirm={revoke}>
          Requests with it are refused at once, and its page closes.
        </Confirm>
      )}
    </>
  );
}
