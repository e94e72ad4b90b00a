/** The page of one record, while it loads, and where there is no such record. */
import type { ReactNode } from 'react';
import { PosternError } from '../api/client.ts';
import type { Reading } from '../api/read.ts';
import { PageHead } from './page.tsx';
import { Failed, Loaded } from './states.tsx';

const ROWS = 8;

interface LoadedPageProps<T> {
  of: Reading<T>;
  /** The list of such records. */
  under: { path: string; label: string };
  children: (data: T) => ReactNode;
}

export function LoadedPage<T>({ of, under, children }: LoadedPageProps<T>) {
  if (of.error instanceof PosternError && of.error.status === 404) {
    return (
      <>
        <PageHead title="Not found" under={under} />
        <Failed error={of.error} />
      </>
    );
  }
  return (
    <Loaded of={of} rows={ROWS}>
      {children}
    </Loaded>
  );
}
