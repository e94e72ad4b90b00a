/** The sign-in page: a link, the provider, or an API key, which it does not keep. */
import '@mantine/core/styles/Code.css';
import '@mantine/core/styles/PasswordInput.css';
import { Alert, Button, Code, PasswordInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { beginSignIn, callSession, PosternError, readProvider, type Session } from '../api/client.ts';
import { useWork } from '../parts/work.ts';
import { pageAddress, readFailure } from './entry.ts';
import mark from './mark.svg';
import './sign-in.css';

interface SignInProps {
  ended: boolean;
  link: string | undefined;
  onSignedIn: (session: Session) => void;
  onLinkFailed: (error: Error) => void;
}

export default function SignIn({ ended, link, onSignedIn, onLinkFailed }: SignInProps) {
  const [failure] = useState(readFailure);
  const [problem, setProblem] = useState<string>();
  const provider = useProvider();

  useEffect(() => {
    document.title = 'Sign in · Postern';
  }, []);

  const leaveLink = (error: Error) => {
    setProblem(error.message);
    onLinkFailed(error);
  };
  if (link !== undefined) return <ByLink link={link} onSignedIn={onSignedIn} onFailed={leaveLink} />;
  return (
    <Panel lead="The browser keeps a session for twelve hours.">
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      {failure !== null && problem === undefined && <Alert color="red">{FAILURES[failure] ?? FAILURES.failed}</Alert>}
      {ended && failure === null && problem === undefined && (
        <Alert color="yellow">Your session has ended, or your access was revoked.</Alert>
      )}
      {provider !== null && <ByProvider host={provider} onFailed={setProblem} />}
      <ByKey onSignedIn={onSignedIn} first={provider === null} />
    </Panel>
  );
}

/** By the reasons that the service gives. */
const FAILURES: Record<string, string> = {
  expired: 'Signing in took too long or began in another browser. Start again here.',
  refused: 'The provider did not sign you in. Start again, or ask your administrator.',
  no_role: 'You are signed in at the provider, but have no role in Postern. Ask your administrator for one.',
  suspended: 'Your access to Postern is suspended. Ask your administrator.',
  unavailable: 'The provider cannot be reached. Retry, or sign in with a key or a link.',
  failed: 'The answer of the provider could not be verified. Retry; the log of the service has the details.',
};

/** Returns the provider's host; null without one, or before it is known. */
function useProvider(): string | null {
  const [provider, setProvider] = useState<string | null>(null);
  useEffect(() => {
    readProvider().then(setProvider, () => {});
  }, []);
  return provider;
}

function Panel({ lead, children }: { lead: string; children: ReactNode }) {
  return (
    <main className="sign-in">
      <div className="panel">
        <img src={mark} alt="" width={40} height={40} />
        <h1>Sign in to Postern</h1>
        <p className="soft">{lead}</p>
        {children}
      </div>
    </main>
  );
}

interface ByLinkProps {
  link: string;
  onSignedIn: (session: Session) => void;
  onFailed: (error: Error) => void;
}

/** Asks first: programs that preview links must not use it up. */
function ByLink({ link, onSignedIn, onFailed }: ByLinkProps) {
  const { busy, start } = useWork(async () => {
    try {
      onSignedIn(await callSession('POST', { link }));
    } catch (error) {
      onFailed(error as Error);
    }
  });
  return (
    <Panel lead="You opened a link that signs you in, once.">
      <form onSubmit={start}>
        <Button type="submit" size="md" fullWidth loading={busy} autoFocus>
          Sign in
        </Button>
      </form>
    </Panel>
  );
}

function ByProvider({ host, onFailed }: { host: string; onFailed: (why: string) => void }) {
  const { busy, start } = useWork(async () => {
    try {
      window.location.assign(await beginSignIn(pageAddress()));
    } catch (error) {
      onFailed((error as Error).message);
      throw error;
    }
  });
  return (
    <>
      <Button size="md" fullWidth loading={busy} onClick={() => void start()}>
        Sign in with {host}
      </Button>
      <p className="soft small">Or with an API key:</p>
    </>
  );
}

/** `first`: nothing else is offered before it. */
function ByKey({ onSignedIn, first }: { onSignedIn: (session: Session) => void; first: boolean }) {
  const [key, setKey] = useState('');
  const { busy, error, start } = useWork(async () => onSignedIn(await callSession('POST', { key: key.trim() })));
  return (
    <form onSubmit={start}>
      <PasswordInput
        label="API key"
        placeholder="svc_sk_…"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        error={error instanceof PosternError ? error.message : error && String(error)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        autoFocus
        required
        withAsterisk={false}
        size="md"
      />
      <Button
        type="submit"
        size="md"
        fullWidth
        variant={first ? 'filled' : 'default'}
        loading={busy}
        disabled={key.trim() === ''}
      >
        Sign in
      </Button>
      <p className="soft small">
        Without a key: <Code>npx postern console link</Code>, where Postern is installed, prints a link that signs you
        in.
      </p>
    </form>
  );
}
