/** The sign-in form: exchanges an API key for a session and does not keep the key. */
import '@mantine/core/styles/Code.css';
import '@mantine/core/styles/PasswordInput.css';
import { Alert, Anchor, Button, Code, PasswordInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { callSession, PosternError, type Session } from '../api/client.ts';
import { useWork } from '../parts/work.ts';
import mark from './mark.svg';
import './sign-in.css';

export default function SignIn({ ended, onSignedIn }: { ended: boolean; onSignedIn: (session: Session) => void }) {
  const [key, setKey] = useState('');

  useEffect(() => {
    document.title = 'Sign in · Postern';
  }, []);

  const { busy, error, start } = useWork(async () => onSignedIn(await callSession('POST', { key: key.trim() })));

  return (
    <main className="sign-in">
      <form className="panel" onSubmit={start}>
        <img src={mark} alt="" width={40} height={40} />
        <h1>Sign in to Postern</h1>
        <p className="soft">With an API key. The browser keeps a session for twelve hours, never the key.</p>
        {ended && error === undefined && <Alert color="yellow">Your session has ended, or its key was revoked.</Alert>}
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
        <Button type="submit" size="md" fullWidth loading={busy} disabled={key.trim() === ''}>
          Sign in
        </Button>
        <p className="soft small">
          The first start of the service prints a key. Another one is made under <Code>Keys</Code>, or with{' '}
          <Anchor href="/docs" size="sm">
            the API
          </Anchor>
          .
        </p>
      </form>
    </main>
  );
}
