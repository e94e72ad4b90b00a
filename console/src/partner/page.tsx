/** The page of a partner: its licenses, usage and statements, and its questions to the publisher. */
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { IconLogout } from '../parts/icons.ts';
import { formatDay } from '../parts/show.tsx';
import { Loaded } from '../parts/states.tsx';
import mark from '../shell/mark.svg';
import { type Me, useOwn } from './api.ts';
import { Ask } from './ask.tsx';
import { Licenses } from './licenses.tsx';
import { Limits } from './limits.tsx';
import { Requests } from './requests.tsx';
import { Statements } from './statements.tsx';
import { Usage } from './usage.tsx';

export function PartnerPage({ onSignOut }: { onSignOut: () => void }) {
  const me = useOwn('GET /v1/me');
  const publisher = me.data?.publisher;
  return (
    <div className="partner">
      <header className="partner-top">
        <span className="brand">
          <img src={publisher?.logo ?? mark} alt="" />
          {publisher?.name ?? 'Postern'}
        </span>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          leftSection={<IconLogout size={16} />}
          onClick={onSignOut}
        >
          Sign out
        </Button>
      </header>
      <main>
        <Loaded of={me} rows={8}>
          {(data) => <Sections me={data} />}
        </Loaded>
        <div id="layers" />
      </main>
    </div>
  );
}

function Sections({ me }: { me: Me }) {
  /** The kind of license in the form of a request, which remedies fill. */
  const [kind, setKind] = useState('');
  const { name } = me.requester;
  useEffect(() => {
    document.title = `${name} · Your licenses`;
  }, [name]);
  const askFor = (wanted: string) => {
    setKind(wanted);
    document.getElementById('request')?.scrollIntoView({ block: 'center' });
  };
  return (
    <>
      <Who me={me} />
      <div className="stack">
        <Licenses current={me.licenses} />
        <div className="columns">
          <Ask onAskFor={askFor} />
          <Requests kind={kind} onKind={setKind} offers={me.offers} />
        </div>
        <Usage />
        <Statements licenses={me.licenses} receipts={me.receipts} />
        {me.limits.length > 0 && <Limits limits={me.limits} />}
      </div>
    </>
  );
}

function Who({ me: { requester, token, publisher } }: { me: Me }) {
  const { expiresAt } = token;
  return (
    <div className="partner-who">
      <h1>{requester.name}</h1>
      <p className="soft">
        Known as <code>{requester.id}</code>, by the token “{token.name}”
        {expiresAt === null ? ', which does not expire' : ` until ${formatDay(expiresAt)}`}
      </p>
      {publisher.contact !== null && (
        <p className="soft">
          Questions to {publisher.name ?? 'the publisher'}: <Contact at={publisher.contact} />
        </p>
      )}
    </div>
  );
}

function Contact({ at }: { at: string }) {
  if (!at.startsWith('http')) return <a href={`mailto:${at}`}>{at}</a>;
  return (
    <a href={at} target="_blank" rel="noreferrer">
      {at}
    </a>
  );
}
