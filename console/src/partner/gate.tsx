/** Asks for the token, once in a tab, and opens the page with it. */
import { Alert, Button, PasswordInput } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useWork } from '../parts/work.ts';
import mark from '../shell/mark.svg';
import { ConnectionProvider, isRefusal, openConnection, queries } from './api.ts';
import { PartnerPage } from './page.tsx';
import { forgetToken, keepToken, keptToken } from './token.ts';

export function Gate() {
  const [token, setToken] = useState(keptToken);
  const [ended, setEnded] = useState<string>();
  const leave = (why?: string) => {
    forgetToken();
    queries.clear();
    setEnded(why);
    setToken(undefined);
  };
  const enter = (accepted: string) => {
    keepToken(accepted);
    setEnded(undefined);
    setToken(accepted);
  };
  if (token === undefined) return <SignIn ended={ended} onSignedIn={enter} />;
  return <Signed token={token} onLeave={leave} />;
}

function Signed({ token, onLeave }: { token: string; onLeave: (why?: string) => void }) {
  // A connection lasts as long as its token.
  const connection = useMemo(() => openConnection(token, ({ message }) => onLeave(message)), [token]);
  return (
    <ConnectionProvider value={connection}>
      <PartnerPage onSignOut={() => onLeave()} />
    </ConnectionProvider>
  );
}

/** Other characters cannot be sent in a header. */
const SENDABLE = /^[!-~]+$/;

interface SignInProps {
  /** Why the token that was in use is no longer accepted. */
  ended: string | undefined;
  onSignedIn: (token: string) => void;
}

function SignIn({ ended, onSignedIn }: SignInProps) {
  const [text, setText] = useState('');
  useEffect(() => {
    document.title = 'Sign in · Your licenses';
  }, []);
  const { busy, error, start } = useWork(async () => {
    const token = text.trim();
    if (!SENDABLE.test(token)) throw new Error('A token begins with svc_rt_ and has no spaces. Copy it whole.');
    let refusal: string | undefined;
    const connection = openConnection(token, ({ message }) => {
      refusal = message;
    });
    await connection.call('GET /v1/me').catch((failed: unknown) => {
      throw isRefusal(failed) ? new Error(refusal) : failed;
    });
    onSignedIn(token);
  });
  return (
    <main className="sign-in">
      <div className="panel">
        <img src={mark} alt="" width={40} height={40} />
        <h1>Your licenses and usage</h1>
        <p className="soft">
          Sign in with the token that the publisher gave you. This tab keeps it until you close it.
        </p>
        {ended !== undefined && error === undefined && <Alert color="yellow">{ended}</Alert>}
        <form onSubmit={start}>
          <PasswordInput
            label="Token"
            placeholder="svc_rt_…"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={error?.message}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            required
            withAsterisk={false}
            size="md"
          />
          <Button type="submit" size="md" fullWidth loading={busy} disabled={text.trim() === ''}>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}
