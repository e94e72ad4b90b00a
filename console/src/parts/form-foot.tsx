/** The end of every form: what went wrong, the way out, and what it does. */
import { Alert, Button, Group } from '@mantine/core';

interface FormFootProps {
  error?: string | undefined;
  busy: boolean;
  /** What the form does, as its button says it. */
  action: string;
  /** Something is missing that a field alone cannot ask for. */
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
