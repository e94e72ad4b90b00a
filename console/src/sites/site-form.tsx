/** The settings of a site: what is published, and whom to ask about licenses. */
import { SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Body } from '../api/client.ts';
import { useWrite } from '../api/read.ts';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { useWork } from '../parts/work.ts';
import { useMay } from '../shell/session.tsx';
import { ROBOTS, type Signals, type Site, SWITCHES } from './words.ts';

type Fields = Pick<Site, 'signals' | 'contact' | 'licensingUrl' | 'sitemaps'>;

export function SiteForm({ site }: { site: Site }) {
  const write = useWrite();
  const may = useMay('policies:write');
  const { signals, contact, licensingUrl, sitemaps } = site;
  const stored: Fields = { signals, contact, licensingUrl, sitemaps };
  const [fields, setFields] = useState(stored);
  const change = (changed: Partial<Signals>) => setFields({ ...fields, signals: { ...fields.signals, ...changed } });
  const { busy, error, start } = useWork(async () => {
    const urls = fields.sitemaps.filter((url) => url !== '');
    const body = { ...fields, sitemaps: urls, purposes: site.purposes } as Body<'PUT /v1/sites/{host}'>;
    await write('PUT /v1/sites/{host}', { path: { host: site.host }, body, ifMatch: `"${site.version}"` });
    notify('The files of the site are new.');
  });
  const isChanged = JSON.stringify(fields) !== JSON.stringify(stored);
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
          <div className="pair">
            <TextInput
              label="Whom to ask for a license"
              description="An email address or a page"
              value={fields.contact ?? ''}
              maxLength={320}
              onChange={(event) => setFields({ ...fields, contact: event.currentTarget.value || null })}
            />
            <TextInput
              label="Page about licenses"
              description="Named in denials and in the files"
              type="url"
              placeholder="https://www.example.com/licensing"
              value={fields.licensingUrl ?? ''}
              onChange={(event) => setFields({ ...fields, licensingUrl: event.currentTarget.value || null })}
            />
          </div>
          <Sitemaps urls={fields.sitemaps} onChange={(urls) => setFields({ ...fields, sitemaps: urls })} />
        </fieldset>
        <FormFoot
          error={error?.message}
          busy={busy && isChanged}
          action="Save"
          disabled={!may || !isChanged}
          onCancel={() => setFields(stored)}
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
