/** Buttons that explain why they are disabled, and confirmations of irreversible actions. */
import { Alert, Button, type ButtonProps, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { type MouseEventHandler, type ReactNode, useState } from 'react';
import { lacking, type Permission, useMay } from '../shell/session.tsx';
import { Dialog } from './dialog.tsx';
import { useWork } from './work.ts';

interface MayButtonProps extends ButtonProps {
  permission: Permission;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  type?: 'button' | 'submit';
  /** A reason to disable it, besides a missing permission. */
  because?: string | undefined;
}

/** A button that requires a permission; without it, disabled with the reason. */
export function MayButton({ permission, because, onClick, ...props }: MayButtonProps) {
  const may = useMay(permission);
  const reason = may ? because : lacking(permission);
  if (reason === undefined) return <Button {...props} onClick={onClick} />;
  return (
    <Tooltip label={reason}>
      <Button
        {...props}
        data-disabled
        aria-disabled="true"
        title={reason}
        onClick={(event) => event.preventDefault()}
        type="button"
      />
    </Tooltip>
  );
}

interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** The text to type before an irreversible action. */
  typed?: string;
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Confirms an irreversible action. */
export function Confirm({ title, children, typed, action, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('');
  const { busy, error, start } = useWork(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <Dialog onClose={onClose} title={title} centered>
      <form onSubmit={start}>
        <Text size="sm">{children}</Text>
        {typed !== undefined && (
          <TextInput
            mt="md"
            label={
              <>
                Type <code>{typed}</code> to continue
              </>
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {error !== undefined && (
          <Alert color="red" mt="md" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end" mt="lg" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={busy} disabled={typed !== undefined && text !== typed}>
            {action}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
