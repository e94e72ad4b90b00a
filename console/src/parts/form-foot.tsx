/** The foot of a form: errors, cancel, submit. */
import { Alert, Button, Group } from '@mantine/core';

interface FormFootProps {
  error?: string | undefined;
  busy: boolean;
  /** The label of the submit button. */
  action: string;
  /** The form is incomplete in a way that no field can show. */
  disabled?: boolean;
  onCancel: () => void;
}

export function FormFoot({ error, busy, action, disabled = false, onCancel }: FormFootProps) {
  return (
    <>
      {error !== undefined && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={busy} disabled={disabled}>
          {action}
        </Button>
      </Group>
    </>
  );
}
