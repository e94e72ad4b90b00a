/** The navigation: pages by group, the account and the color scheme. */
import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { IconMoon, IconSearch, IconSun } from '../parts/icons.ts';
import { useMenuButton } from '../parts/returned-focus.ts';
import { AccountButton } from './account-button.tsx';
import type { Colors } from './colors.ts';
import { lazily } from './lazily.tsx';
import mark from './mark.svg';
import { DOCS, PLACES } from './places.ts';
import { mayOpen, useSession } from './session.tsx';

interface SideProps {
  location: string;
  scheme: Colors;
  onSearch: () => void;
  onSignOut: () => void;
}

export function Side({ location, scheme, onSearch, onSignOut }: SideProps) {
  return (
    <>
      <Link href="/" className="brand">
        <img src={mark} alt="" />
        Postern
      </Link>
      <UnstyledButton className="search" onClick={onSearch}>
        <IconSearch size={16} />
        <span>Search and go</span>
        <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
      </UnstyledButton>
      <Navigation location={location} />
      <div className="foot">
        <a className="place" href={DOCS.href}>
          <DOCS.icon size={18} stroke={1.7} />
          {DOCS.label}
        </a>
        <div className="who">
          <Account onSignOut={onSignOut} />
          <ColorSwitch scheme={scheme} />
        </div>
      </div>
    </>
  );
}

function Navigation({ location }: { location: string }) {
  const session = useSession();
  const groups = Map.groupBy(
    PLACES.filter((place) => mayOpen(session, place)),
    ({ group }) => group,
  );
  const isCurrent = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <nav aria-label="Main">
      {[...groups].map(([group, places]) => (
        <div key={group}>
          <div className="group">{group}</div>
          {places.map(({ path, label, icon: Icon }) => (
            <Link key={path} href={path} className="place" aria-current={isCurrent(path) ? 'page' : undefined}>
              <Icon size={18} stroke={1.7} />
              {label}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The first view is shown without it. */
const AccountMenu = lazily(() => import('./account-menu.tsx'));

function Account({ onSignOut }: { onSignOut: () => void }) {
  const [opened, setOpened] = useState<boolean>();
  const ref = useMenuButton<HTMLButtonElement>(opened);
  const button = <AccountButton onClick={() => setOpened(true)} />;
  if (opened === undefined) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu button={ref} opened={opened} onChange={setOpened} onSignOut={onSignOut} />
    </Suspense>
  );
}

function ColorSwitch({ scheme: { dark, toggle } }: { scheme: Colors }) {
  return (
    <Tooltip label={dark ? 'Light' : 'Dark'}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={toggle}
        aria-label={dark ? 'Light colors' : 'Dark colors'}
      >
        {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
