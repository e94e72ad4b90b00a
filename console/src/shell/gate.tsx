/** Requires a session. The address is kept, so that the page opens after sign-in. */
import { Center, Loader } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { callSession, onSignedOut, type Session } from '../api/client.ts';
import { queries } from '../api/read.ts';
import { notifyFailure } from '../parts/notices.tsx';
import { Boundary } from './boundary.tsx';
import { forgetEntry, onLink, readLink } from './entry.ts';
import { Frame } from './frame.tsx';
import { lazily } from './lazily.tsx';
import { SessionProvider } from './session.tsx';

const SignIn = lazily(() => import('./sign-in.tsx'));

export function Gate() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [ended, setEnded] = useState(false);
  const [link, setLink] = useState(readLink);

  useEffect(() => {
    callSession('GET').then(setSession, () => setSession(null));
    return onSignedOut(() => {
      setEnded(true);
      setSession(null);
      queries.clear();
    });
  }, []);
  useEffect(() => onLink(setLink), []);

  const forget = () => {
    forgetEntry();
    setLink(undefined);
  };
  const signIn = (opened: Session) => {
    forget();
    queries.clear();
    setSession(opened);
  };
  const failLink = (error: Error) => {
    forget();
    // The session that is there goes on.
    if (session !== null) notifyFailure(error);
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
  if (session === null || link !== undefined) {
    return (
      <Boundary at="sign-in">
        <Suspense>
          <SignIn ended={ended} link={link} onSignedIn={signIn} onLinkFailed={failLink} />
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
