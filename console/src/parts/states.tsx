/** The states of a panel: empty, failed, loading. */
import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PosternError, PosternUnreachable } from '../api/client.ts';
import type { Reading } from '../api/read.ts';
import { IconInbox } from './icons.ts';
import { useIsWithinPanel } from './within.ts';

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}

export function Empty({ title, children, action, icon }: EmptyProps) {
  const isWithin = useIsWithinPanel();
  const Heading = isWithin ? 'h3' : 'h2';
  return (
    <div className="empty">
      {icon ?? (!isWithin && <IconInbox size={34} stroke={1.4} />)}
      <Heading>{title}</Heading>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const api = error instanceof PosternError ? error : undefined;
  const details = api?.details ?? [];
  return (
    <Alert color="red" title={getTitle(error)} role="alert">
      <div>{error.message}</div>
      {details.length > 1 && (
        <ul>
          {details.map((one) => (
            <li key={`${one.param} ${one.message}`}>{one.message}</li>
          ))}
        </ul>
      )}
      {api?.requestId !== undefined && <div className="soft small">Request {api.requestId}</div>}
      {onRetry !== undefined && !isSettled(api) && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Retry
        </Button>
      )}
    </Alert>
  );
}

/** Returns whether a retry would get the same answer. */
const isSettled = (error: PosternError | undefined): boolean =>
  error !== undefined && [400, 403, 404].includes(error.status);

function getTitle(error: Error): string {
  if (error instanceof PosternUnreachable) return 'Cannot be loaded right now';
  if (!(error instanceof PosternError)) return 'Something went wrong';
  if (error.status === 404) return 'Not found';
  if (error.status === 403) return 'Not allowed';
  if (error.status === 412 || error.status === 409) return 'Changed in the meantime';
  if (error.status === 503) return 'Cannot be loaded right now';
  return error.status >= 500 ? 'The service failed' : 'This was refused';
}

interface LoadedProps<T> {
  of: Reading<T>;
  /** The height to reserve. */
  rows?: number;
  children: (data: T) => ReactNode;
}

export function Loaded<T>({ of, rows = 5, children }: LoadedProps<T>) {
  if (of.data !== undefined) {
    return (
      <>
        {of.isError && <Failed error={of.error} onRetry={() => void of.refetch()} />}
        {children(of.data)}
      </>
    );
  }
  if (of.isError) return <Failed error={of.error} onRetry={() => void of.refetch()} />;
  return (
    <Stack gap={10} aria-busy="true">
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={i === 0 ? 26 : 34} radius="sm" width={i === 0 ? '40%' : '100%'} />
      ))}
    </Stack>
  );
}
