/** The answers to a request: grant it as a license, or decline it with a note. */
import { Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { LicenseForm, type NewLicense } from '../licenses/license-form.tsx';
import { AskedFor } from '../licenses/open-requests.tsx';
import { MayButton } from '../parts/act.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { useWork } from '../parts/work.ts';
import type { LicenseRequest } from './types.ts';

interface AnswersProps {
  of: LicenseRequest;
}

export function Answers({ of: request }: AnswersProps) {
  const [dialog, setDialog] = useState<'grant' | 'decline'>();
  const close = () => setDialog(undefined);
  const button = (label: string, to: 'grant' | 'decline') => (
    <MayButton
      permission="requesters:write"
      size="xs"
      variant={to === 'grant' ? 'filled' : 'default'}
      onClick={() => setDialog(to)}
    >
      {label}
    </MayButton>
  );
  return (
    <>
      <Group gap={6} wrap="nowrap" justify="flex-end">
        {button('Grant…', 'grant')}
        {button('Decline…', 'decline')}
      </Group>
      {dialog === 'grant' && (
        <Dialog onClose={close} title="Grant a license" size="64rem">
          <Grant request={request} onClose={close} />
        </Dialog>
      )}
      {dialog === 'decline' && (
        <Dialog onClose={close} title={`Decline the request of ${request.requesterId}`}>
          <Decline request={request} onClose={close} />
        </Dialog>
      )}
    </>
  );
}

interface DialogProps {
  request: LicenseRequest;
  onClose: () => void;
}

function Grant({ request, onClose }: DialogProps) {
  const { id, requesterId, licenseType, collectionId } = request;
  const write = useWrite();
  const [answer, setAnswer] = useState('');
  const grant = ({ terms, ...license }: NewLicense) => {
    const cost = terms === null ? { free: true } : { terms };
    return write('POST /v1/license-requests/{id}/grant', {
      path: { id },
      body: { ...license, ...cost, ...toBody(answer) },
    });
  };
  return (
    <div className="fields">
      <AskedFor request={request} />
      <LicenseForm
        requesterId={requesterId}
        initial={{ kind: licenseType, scope: collectionId === null ? null : { collectionIds: [collectionId] } }}
        action="Grant license"
        create={grant}
        onDone={onClose}
        onCancel={onClose}
      >
        <Note value={answer} onChange={setAnswer} />
      </LicenseForm>
    </div>
  );
}

function Decline({ request: { id }, onClose }: DialogProps) {
  const write = useWrite();
  const [answer, setAnswer] = useState('');
  const { busy, error, start } = useWork(async () => {
    await write('POST /v1/license-requests/{id}/decline', { path: { id }, body: toBody(answer) });
    notify('The request is declined.');
    onClose();
  });
  return (
    <form onSubmit={start} className="fields">
      <Note value={answer} onChange={setAnswer} data-autofocus />
      <FormFoot error={error?.message} busy={busy} action="Decline" onCancel={onClose} />
    </form>
  );
}

const toBody = (answer: string): { answer?: string } => (answer.trim() === '' ? {} : { answer: answer.trim() });

interface NoteProps {
  /** Has the focus when its dialog opens. */
  'data-autofocus'?: boolean;
  value: string;
  onChange: (value: string) => void;
}

function Note({ value, onChange, ...rest }: NoteProps) {
  return (
    <Textarea
      {...rest}
      label="Note to the partner"
      placeholder="optional"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={2}
      maxLength={2000}
    />
  );
}
