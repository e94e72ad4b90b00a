/** The settings of a site: what is published, and whom to ask about licenses. */
import { SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Body } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { useUnsaved } from '../parts/unsaved.ts';
import { useWork } from '../parts/work.ts';
import { useMay } from '../shell/session.tsx';
import { UrlRules } from './url-rules.tsx';
import { ROBOTS, type Signals, type Site, SWITCHES } from './words.ts';

type Fields = Pick<Site, 'signals' | 'contact' | 'licensingUrl' | 'sitemaps' | 'urls'>;

export function SiteForm({ site }: { site: Site }) {
  const write = useWrite();
  const may = useMay('policies:write');
  const mayUrls = useMay('content:write') && may;
  const { signals, contact, licensingUrl, sitemaps, urls } = site;
  const stored: Fields = { signals, contact, licensingUrl, sitemaps, urls };
  const [fields, setFields] = useState(stored);
  // The text of the names starts anew with the stored ones.
  const [round, setRound] = useState(0);
  const change = (changed: Partial<Signals>) => setFields({ ...fields, signals: { ...fields.signals, ...changed } });
  const { busy, error, start } = useWork(async () => {
    const given = fields.sitemaps.filter((url) => url !== '');
    const body = { ...fields, sitemaps: given, purposes: site.purposes } as Body<'PUT /v1/sites/{host}'>;
    const path = { host: site.host };
    const { warnings } = await write('PUT /v1/sites/{host}', { path, body, ifMatch: `"${site.version}"` });
    notify(warnings === undefined ? 'The files of the site are new.' : toText(warnings));
  });
  const isChanged = JSON.stringify(fields) !== JSON.stringify(stored);
  useUnsaved(!busy && isChanged);
  return (
    <Panel title="Settings">
      <form onSubmit={start} className="fields">
        <fieldset className="plain fields" disabled={!may}>
          <Robots signals={fields.signals} onChange={change} />
          {SWITCHES.map(({ name, label, about }) => (
            <Switch
              key={name}
              label={label}
              description={about}
              checked={fields.signals[name]}
              onChange={(event) => change({ [name]: event.currentTarget.checked })}
            />
          ))}
          <Contacts fields={fields} onChange={(changed) => setFields({ ...fields, ...changed })} />
          <Sitemaps urls={fields.sitemaps} onChange={(given) => setFields({ ...fields, sitemaps: given })} />
        </fieldset>
        <UrlRules
          key={round}
          urls={fields.urls}
          disabled={!mayUrls}
          onChange={(rules) => setFields({ ...fields, urls: rules })}
        />
        <FormFoot
          error={error?.message}
          busy={busy && isChanged}
          action="Save"
          disabled={!may || !isChanged}
          onCancel={() => {
            setFields(stored);
            setRound(round + 1);
          }}
        />
      </form>
    </Panel>
  );
}

/** Keeps the line that is being typed. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n').map((line) => line.trim()));

function Sitemaps({ urls, onChange }: { urls: string[]; onChange: (urls: string[]) => void }) {
  return (
    <Textarea
      label="Sitemaps"
      description="URLs, one a line. No visitor is refused them, like robots.txt."
      placeholder="https://www.example.com/sitemap.xml"
      autosize
      minRows={1}
      maxRows={8}
      value={urls.join('\n')}
      onChange={(event) => onChange(linesOf(event.currentTarget.value))}
    />
  );
}

interface ContactsProps {
  fields: Fields;
  onChange: (changed: Partial<Fields>) => void;
}

function Contacts({ fields: { contact, licensingUrl }, onChange }: ContactsProps) {
  return (
    <div className="pair">
      <TextInput
        label="Whom to ask for a license"
        description="An email address or a page"
        value={contact ?? ''}
        maxLength={320}
        onChange={(event) => onChange({ contact: event.currentTarget.value || null })}
      />
      <TextInput
        label="Page about licenses"
        description="Named in denials and in the files"
        type="url"
        placeholder="https://www.example.com/licensing"
        value={licensingUrl ?? ''}
        onChange={(event) => onChange({ licensingUrl: event.currentTarget.value || null })}
      />
    </div>
  );
}

const toText = (warnings: NonNullable<Site['warnings']>): string =>
  `Stored. Items that are one file now, so that checks of their URL are refused: ${warnings
    .flatMap(({ contentIds }) => contentIds)
    .join(', ')}.`;

interface RobotsProps {
  signals: Signals;
  onChange: (changed: Partial<Signals>) => void;
}

function Robots({ signals: { robots, robotsBase }, onChange }: RobotsProps) {
  return (
    <>
      <div>
        <div className="choice-label">robots.txt</div>
        <SegmentedControl
          className="stacks"
          aria-label="robots.txt"
          data={ROBOTS}
          value={robots}
          onChange={(value) => onChange({ robots: value as Signals['robots'] })}
        />
      </div>
      {robots === 'augment' && (
        <Textarea
          label="Your own robots.txt"
          description="Kept to the last character; Postern’s groups follow it."
          autosize
          minRows={3}
          maxRows={14}
          value={robotsBase ?? ''}
          onChange={(event) => onChange({ robotsBase: event.currentTarget.value || null })}
        />
      )}
    </>
  );
}
