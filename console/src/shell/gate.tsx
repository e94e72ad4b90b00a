/** Requires a session. The address is kept, so that the page opens after sign-in. */
import { Center, Loader } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { callSession, onSignedOut, type Session } from '../api/client.ts';
import { queries } from '../api/read.ts';
import { Boundary } from './boundary.tsx';
import { isLink } from './entry.ts';
import { Frame } from './frame.tsx';
import { lazily } from './lazily.tsx';
import { SessionProvider } from './session.tsx';

const SignIn = lazily(() => import('./sign-in.tsx'));

export function Gate() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [ended, setEnded] = useState(false);

  useEffect(() => {
    callSession('GET').then(setSession, () => setSession(null));
    return onSignedOut(() => {
      setEnded(true);
      setSession(null);
      queries.clear();
    });
  }, []);

  const signIn = (opened: Session) => {
    queries.clear();
    setSession(opened);
  };
  const signOut = async () => {
    await callSession('DELETE').catch(() => {});
    queries.clear();
    setEnded(false);
    setSession(null);
  };

  if (session === undefined) {
    return (
      <Center mih="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (session === null || isLink()) {
    return (
      <Boundary at="sign-in">
        <Suspense>
          <SignIn ended={ended} onSignedIn={signIn} />
        </Suspense>
      </Boundary>
    );
  }
  return (
    <SessionProvider session={session}>
      <Frame onSignOut={signOut} />
    </SessionProvider>
  );
}
