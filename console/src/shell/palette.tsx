/** The command palette: pages, actions, and records by words or id. */
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightActionData, useSpotlight } from '@mantine/spotlight';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import {
  IconFileText,
  IconFolders,
  IconLogout,
  IconMoon,
  IconPlus,
  IconRoute,
  IconScale,
  IconSearch,
  IconUpload,
  IconUser,
} from '../parts/icons.ts';
import { useReturnedFocus } from '../parts/returned-focus.ts';
import { formatCount } from '../parts/show.tsx';
import { PLACES } from './places.ts';
import { holds, mayOpen, type Permission, useSession } from './session.tsx';

export interface Typed {
  query: string;
  onChange: (query: string) => void;
}

interface PaletteProps {
  typed: Typed;
  onClose: () => void;
  onToggleColors: () => void;
  onSignOut: () => void;
}

interface Create {
  label: string;
  path: string;
  permission: Permission;
  icon: typeof IconPlus;
}

const CREATE: readonly Create[] = [
  { label: 'Create an item', path: '/content/new', permission: 'content:write', icon: IconPlus },
  { label: 'Import items', path: '/content/import', permission: 'content:write', icon: IconUpload },
  { label: 'Create a collection', path: '/collections/new', permission: 'content:write', icon: IconPlus },
  { label: 'Test an address', path: '/collections/match', permission: 'content:read', icon: IconRoute },
  { label: 'Create a policy', path: '/policies/new', permission: 'policies:write', icon: IconPlus },
  { label: 'Create a license', path: '/licenses?new=1', permission: 'requesters:write', icon: IconPlus },
  { label: 'Add a partner or bot', path: '/requesters?new=1', permission: 'requesters:write', icon: IconPlus },
  { label: 'Create an API key', path: '/keys?new=1', permission: 'api_keys:manage', icon: IconPlus },
  { label: 'Add a webhook', path: '/webhooks?new=1', permission: 'webhooks:manage', icon: IconPlus },
];

const [store, spotlight] = createSpotlight();
/** The library fades it in the selected result, below the contrast that small text needs. */
const LEGIBLE = { actionDescription: { opacity: 1 } } as const;

export default function Palette({ typed: { query, onChange }, onClose, ...commands }: PaletteProps) {
  const typed = query.trim();
  const [words] = useDebouncedValue(typed, 200);
  const found = useFound(words);
  const fixed = useFixed(commands);
  const matches = fixed.filter(({ label, description = '' }) => includes(`${label} ${description}`, typed));
  // Records of earlier words are not what Enter should open.
  const actions = words === typed ? [...found, ...matches] : matches;

  useEffect(() => spotlight.open(), []);
  useFirstSelected(actions);
  useReturnedFocus();
  // The library's dialog has no accessible name.
  const name = (inside: HTMLElement | null) =>
    inside?.closest('[role="dialog"]')?.setAttribute('aria-label', 'Search and go');

  return (
    <Spotlight
      store={store}
      query={query}
      onQueryChange={onChange}
      onSpotlightClose={onClose}
      filter={(_, all) => all}
      shortcut={null}
      nothingFound="Nothing has these words"
      highlightQuery={false}
      limit={20}
      scrollable
      maxHeight={420}
      styles={LEGIBLE}
      searchProps={{
        placeholder: 'A page, an item, a partner or bot, a policy, an id…',
        'aria-label': 'Search and go',
        leftSection: (
          <span ref={name}>
            <IconSearch size={18} />
          </span>
        ),
      }}
      actions={actions}
    />
  );
}

/** Selects the first result, also when others arrive: the library only does so while words are typed. */
function useFirstSelected(actions: readonly Command[]): void {
  const { listId } = useSpotlight(store);
  const shown = actions.map(({ id }) => id).join(' ');
  useEffect(() => {
    const list = document.getElementById(listId);
    list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [listId, shown]);
}

type Command = SpotlightActionData & { label: string; description?: string };

const includes = (text: string, words: string): boolean => text.toLowerCase().includes(words.toLowerCase());

/** Returns the pages and actions that the session may use. */
function useFixed({ onToggleColors, onSignOut }: Omit<PaletteProps, 'onClose' | 'typed'>): Command[] {
  const session = useSession();
  const [, go] = useLocation();
  return [
    ...PLACES.filter((place) => mayOpen(session, place)).map(({ path, label, about, icon: Icon }) => ({
      id: path,
      label,
      description: about,
      leftSection: <Icon size={18} />,
      onClick: () => go(path),
    })),
    ...CREATE.filter((page) => mayOpen(session, page)).map(({ path, label, icon: Icon }) => ({
      id: path,
      label,
      leftSection: <Icon size={18} />,
      onClick: () => go(path),
    })),
    { id: 'colors', label: 'Switch light and dark', leftSection: <IconMoon size={18} />, onClick: onToggleColors },
    { id: 'sign-out', label: 'Sign out', leftSection: <IconLogout size={18} />, onClick: onSignOut },
  ];
}

/** Returns the records that have the words or the id. */
function useFound(words: string): Command[] {
  const session = useSession();
  const [, go] = useLocation();
  const searching = /[\p{L}\p{N}]{2}/u.test(words);
  const items = useRead(
    'GET /v1/content',
    { query: { q: words, limit: 5 } },
    { enabled: searching && holds(session, 'content:read') },
  );
  const collections = useRead(
    'GET /v1/collections',
    { query: { q: words, limit: 5 } },
    { enabled: searching && holds(session, 'content:read') },
  );
  const requesters = useRequesters(words, searching);
  const policies = useRead('GET /v1/policies', { query: { limit: 100 } }, { enabled: holds(session, 'policies:read') });
  return [
    ...(/^(cnt|col|pol|dec|wh)_\w{26}$/.test(words)
      ? [
          {
            id: `id-${words}`,
            label: `Open ${words}`,
            leftSection: <IconSearch size={18} />,
            onClick: () => go(findPath(words)),
          },
        ]
      : []),
    ...(items.data?.data ?? []).map(({ id, title, externalId }) => ({
      id,
      label: title,
      description: externalId,
      leftSection: <IconFileText size={18} />,
      onClick: () => go(`/content/${id}`),
    })),
    ...(collections.data?.data ?? []).map(({ id, name }) => ({
      id,
      label: name,
      description: 'Collection',
      leftSection: <IconFolders size={18} />,
      onClick: () => go(`/collections/${id}`),
    })),
    ...requesters.map(({ id, name, about }) => ({
      id: `requester-${id}`,
      label: name,
      description: about,
      leftSection: <IconUser size={18} />,
      onClick: () => go(`/requesters/${encodeURIComponent(id)}`),
    })),
    ...(policies.data?.data ?? [])
      .filter(({ name }) => words !== '' && includes(name, words))
      .map(({ id, name, version }) => ({
        id,
        label: name,
        description: `Policy, version ${version}`,
        leftSection: <IconScale size={18} />,
        onClick: () => go(`/policies/${id}`),
      })),
  ];
}

interface Found {
  id: string;
  name: string;
  about: string;
}

/** Returns seen and added requesters, busiest first; only added ones where the report is not allowed. */
function useRequesters(words: string, searching: boolean): Found[] {
  const session = useSession();
  const mayList = holds(session, 'requesters:read');
  const mayCount = holds(session, 'analytics:read') && !session.readOnly;
  const query = { q: words, limit: 5 };
  const seen = useRead('GET /v1/analytics/requesters', { query }, { enabled: searching && mayList && mayCount });
  const listed = useRead('GET /v1/requesters', { query }, { enabled: searching && mayList && !mayCount });
  if (!searching) return [];
  return [
    ...(seen.data?.data ?? []).map(({ id, name, requests, registered }) => ({
      id,
      name,
      about: [
        ...(name === id ? [] : [id]),
        `${formatCount(requests)} requests`,
        ...(registered ? [] : ['not in your list']),
      ].join(' · '),
    })),
    ...(listed.data?.data ?? []).map(({ id, name }) => ({ id, name, about: id })),
  ];
}

const PREFIXES: Record<string, string> = {
  cnt: 'content',
  col: 'collections',
  pol: 'policies',
  dec: 'decisions',
  wh: 'webhooks',
};
const findPath = (id: string): string => `/${PREFIXES[id.split('_')[0] ?? ''] ?? ''}/${id}`;
