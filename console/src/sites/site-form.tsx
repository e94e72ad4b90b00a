/** The settings of a site: what is published, and whom to ask about licenses. */
import { SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Body } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { toRefused } from '../parts/refused.ts';
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
  const { at: errorOf, elsewhere } = toRefused(error, LABELS, {
    sitemaps: fields.sitemaps.filter((url) => url !== ''),
  });
  const part: PartProps = { fields, errorOf, onChange: (changed) => setFields({ ...fields, ...changed }) };
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
          <Contacts {...part} />
          <Sitemaps {...part} />
        </fieldset>
        <UrlRules
          key={round}
          urls={fields.urls}
          disabled={!mayUrls}
          onChange={(rules) => setFields({ ...fields, urls: rules })}
        />
        <FormFoot
          error={elsewhere}
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

function Sitemaps({ fields: { sitemaps }, errorOf, onChange }: PartProps) {
  return (
    <Textarea
      label="Sitemaps"
      description="URLs, one a line. No visitor is refused them, like robots.txt."
      placeholder="https://www.example.com/sitemap.xml"
      autosize
      minRows={1}
      maxRows={8}
      value={sitemaps.join('\n')}
      error={errorOf('sitemaps')}
      onChange={(event) => onChange({ sitemaps: linesOf(event.currentTarget.value) })}
    />
  );
}

const LABELS = { contact: 'Whom to ask for a license', licensingUrl: 'Page about licenses', sitemaps: 'Sitemaps' };

interface PartProps {
  fields: Fields;
  errorOf: (name: string) => string | undefined;
  onChange: (changed: Partial<Fields>) => void;
}

function Contacts({ fields: { contact, licensingUrl }, errorOf, onChange }: PartProps) {
  return (
    <div className="pair">
      <TextInput
        label="Whom to ask for a license"
        description="An email address or a page"
        value={contact ?? ''}
        error={errorOf('contact')}
        maxLength={320}
        onChange={(event) => onChange({ contact: event.currentTarget.value || null })}
      />
      <TextInput
        label="Page about licenses"
        description="Named in denials and in the files"
        type="url"
        placeholder="https://www.example.com/licensing"
        value={licensingUrl ?? ''}
        error={errorOf('licensingUrl')}
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
