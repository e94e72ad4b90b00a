/** The answers to a request: grant it as a license, or decline it with a note. */
import { Group, Radio, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/read.ts';
import { type LicenseFields, LicenseForm } from '../licenses/license-form.tsx';
import { TermsForm } from '../licenses/terms-editor.tsx';
import { faultsOf, toFields, toTerms } from '../licenses/terms-fields.ts';
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
        <Dialog onClose={close} title={`Grant ${request.requesterId} a license`} size="64rem">
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

function Grant({ request: { id, requesterId, licenseType, collectionId }, onClose }: DialogProps) {
  const write = useWrite();
  const [answer, setAnswer] = useState('');
  const [price, setPrice] = useState<Price>(undefined);
  const [terms, setTerms] = useState(() => toFields(null));
  const faults = faultsOf(terms);
  const grant = (license: LicenseFields) => {
    const cost = price === 'free' ? { free: true } : { terms: toTerms(terms) };
    return write('POST /v1/license-requests/{id}/grant', {
      path: { id },
      body: { ...license, ...cost, ...toBody(answer) },
    });
  };
  return (
    <LicenseForm
      requesterId={requesterId}
      initial={{ kind: licenseType, scope: collectionId === null ? null : { collectionIds: [collectionId] } }}
      action="Grant license"
      create={grant}
      incomplete={price === undefined || (price === 'terms' && Object.keys(faults).length > 0)}
      onDone={onClose}
      onCancel={onClose}
    >
      <Radio.Group label="Price" required value={price ?? null} onChange={setPrice}>
        <Stack gap={6} mt={4}>
          <Radio value="free" label="Free: the license is never billed" />
          <Radio value="terms" label="Terms: prices, a least amount, a quota" />
        </Stack>
      </Radio.Group>
      {price === 'terms' && (
        <TermsForm fields={terms} faults={faults} onChange={(changed) => setTerms({ ...terms, ...changed })} />
      )}
      <Note value={answer} onChange={setAnswer} />
    </LicenseForm>
  );
}

/** Undefined until the publisher has said it. */
type Price = 'free' | 'terms' | undefined;

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
