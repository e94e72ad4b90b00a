/** The command palette: every place, what can be made, and records by their words or ids. */
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import {
  IconFileText,
  IconLogout,
  IconMoon,
  IconPlus,
  IconScale,
  IconSearch,
  IconUpload,
  IconUser,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { PLACES } from './places.ts';
import { holds, type Permission, useSession } from './session.tsx';

interface Props {
  onClose: () => void;
  onToggleColors: () => void;
  onSignOut: () => void;
}

const MAKE: readonly [label: string, path: string, permission: Permission, icon: typeof IconPlus][] = [
  ['Register an item', '/content/new', 'content:write', IconPlus],
  ['Import items', '/content/import', 'content:write', IconUpload],
  ['Write a policy', '/policies/new', 'policies:write', IconPlus],
  ['Give a licence', '/licenses?new=1', 'policies:write', IconPlus],
  ['Register a requester', '/requesters?new=1', 'policies:write', IconPlus],
  ['Create an API key', '/keys?new=1', 'api_keys:manage', IconPlus],
  ['Add a webhook', '/webhooks?new=1', 'webhooks:manage', IconPlus],
];

export default function Palette({ onClose, onToggleColors, onSignOut }: Props) {
  const session = useSession();
  const [, go] = useLocation();
  const [query, setQuery] = useState('');
  const [words] = useDebouncedValue(query.trim(), 200);
  const searching = /[\p{L}\p{N}]{2}/u.test(words);
  const may = (permission: Permission) => holds(session, permission);
  const items = useRead(
    'GET /v1/content',
    { query: { q: words, limit: 5 } },
    { enabled: searching && may('content:read') },
  );
  const requesters = useRead(
    'GET /v1/requesters',
    { query: { q: words, limit: 5 } },
    { enabled: searching && may('policies:read') },
  );
  const policies = useRead('GET /v1/policies', { query: { limit: 100 } }, { enabled: may('policies:read') });

  useEffect(() => spotlight.open(), []);
  // The library gives its dialog no name of its own.
  const name = (inside: HTMLElement | null) =>
    inside?.closest('[role="dialog"]')?.setAttribute('aria-label', 'Search and go');

  const matches = (text: string) => text.toLowerCase().includes(words.toLowerCase());
  const found: SpotlightActionData[] = [
    ...(/^(cnt|pol|dec|wh)_\w{26}$/.test(words)
      ? [
          {
            id: `id-${words}`,
            label: `Open ${words}`,
            onClick: () => go(pathOf(words)),
            leftSection: <IconSearch size={18} />,
          },
        ]
      : []),
    ...(items.data?.data ?? []).map((item) => ({
      id: item.id,
      label: item.title,
      description: item.externalId,
      leftSection: <IconFileText size={18} />,
      onClick: () => go(`/content/${item.id}`),
    })),
    ...(requesters.data?.data ?? []).map((requester) => ({
      id: `requester-${requester.id}`,
      label: requester.name,
      description: requester.id,
      leftSection: <IconUser size={18} />,
      onClick: () => go(`/requesters/${encodeURIComponent(requester.id)}`),
    })),
    ...(policies.data?.data ?? [])
      .filter((policy) => words !== '' && matches(policy.name))
      .map((policy) => ({
        id: policy.id,
        label: policy.name,
        description: `Policy, version ${policy.version}`,
        leftSection: <IconScale size={18} />,
        onClick: () => go(`/policies/${policy.id}`),
      })),
  ];
  const fixed: SpotlightActionData[] = [
    ...PLACES.filter(({ permission }) => may(permission)).map(({ path, label, about, icon: Icon }) => ({
      id: path,
      label,
      description: about,
      leftSection: <Icon size={18} />,
      onClick: () => go(path),
    })),
    ...MAKE.filter(([, , permission]) => may(permission)).map(([label, path, , Icon]) => ({
      id: path,
      label,
      leftSection: <Icon size={18} />,
      onClick: () => go(path),
    })),
    { id: 'colors', label: 'Switch light and dark', leftSection: <IconMoon size={18} />, onClick: onToggleColors },
    { id: 'sign-out', label: 'Sign out', leftSection: <IconLogout size={18} />, onClick: onSignOut },
  ].filter(({ label, ...rest }) => matches(`${label} ${'description' in rest ? (rest.description as string) : ''}`));

  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      filter={(_, all) => all}
      shortcut={null}
      nothingFound="Nothing has these words"
      highlightQuery={false}
      limit={20}
      scrollable
      maxHeight={420}
      searchProps={{
        placeholder: 'A page, an item, a requester, a policy, an id…',
        'aria-label': 'Search and go',
        leftSection: (
          <span ref={name}>
            <IconSearch size={18} />
          </span>
        ),
      }}
      actions={[...found, ...fixed]}
    />
  );
}

const PREFIXES: Record<string, string> = { cnt: 'content', pol: 'policies', dec: 'decisions', wh: 'webhooks' };
const pathOf = (id: string): string => `/${PREFIXES[id.split('_')[0] ?? ''] ?? ''}/${id}`;
