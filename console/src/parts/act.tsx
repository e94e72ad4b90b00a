/** Doing something: buttons that say why they are not to be had, and questions before what cannot be undone. */
import { Alert, Button, type ButtonProps, Group, Modal, Text, TextInput, Tooltip } from '@mantine/core';
import { type MouseEventHandler, type ReactNode, useState } from 'react';
import { lacking, type Permission, useMay } from '../shell/session.tsx';

interface MayButtonProps extends ButtonProps {
  permission: Permission;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  type?: 'button' | 'submit';
  /** Why not, apart from the permission. */
  because?: string | undefined;
}

/** A button for what needs a permission; disabled with the reason when the key does not hold it. */
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
  /** What must be typed, for what cannot be undone. */
  typed?: string;
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is done that hurts. */
export function Confirm({ title, children, typed, action, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failed) {
      setError((failed as Error).message);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Text size="sm">{children}</Text>
        {typed !== undefined && (
          <TextInput
            mt="md"
            label={
              <>
                Type <code>{typed}</code> to go on
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
            {error}
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
    </Modal>
  );
}
