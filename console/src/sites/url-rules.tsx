/** Which spellings of a URL lead to the same file of a site. */
import { Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Site } from './words.ts';

type Urls = Site['urls'];

interface UrlRulesProps {
  urls: Urls;
  disabled: boolean;
  onChange: (urls: Urls) => void;
}

export function UrlRules({ urls, disabled, onChange }: UrlRulesProps) {
  const [names, setNames] = useState(urls.index.join(', '));
  return (
    <fieldset className="plain fields" disabled={disabled} aria-label="Which URLs are one file">
      <Switch
        label="The case of letters does not matter"
        description="/News is /news, as on Windows and in routers that ignore case"
        checked={urls.case === 'ignored'}
        onChange={({ currentTarget }) => onChange({ ...urls, case: currentTarget.checked ? 'ignored' : 'sensitive' })}
      />
      <Switch
        label="A slash at the end changes nothing"
        description="/news is /news/; names with a dot have no such folder"
        checked={urls.finalSlash === 'ignored'}
        onChange={({ currentTarget }) =>
          onChange({ ...urls, finalSlash: currentTarget.checked ? 'ignored' : 'significant' })
        }
      />
      <TextInput
        label="Index files"
        description="/news/ is /news/index.html; several names with commas"
        value={names}
        onChange={({ currentTarget: { value } }) => {
          setNames(value);
          onChange({ ...urls, index: value.split(',').flatMap((name) => name.trim() || []) });
        }}
      />
    </fieldset>
  );
}
