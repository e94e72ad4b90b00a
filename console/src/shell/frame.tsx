/** What is around every page: navigation, who is signed in, light and dark, the command palette. */
import {
  ActionIcon,
  Menu,
  Skeleton,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconLogout, IconMenu2, IconMoon, IconSearch, IconSelector, IconSun } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Boundary } from './boundary.tsx';
import mark from './mark.svg';
import { Pages } from './pages.tsx';
import { DOCS, PLACES } from './places.ts';
import { holds, useSession } from './session.tsx';

const Palette = lazy(() => import('./palette.tsx'));
const Drawn = lazy(() => import('./drawn.tsx'));

export function Frame({ onSignOut }: { onSignOut: () => void }) {
  const [location] = useLocation();
  const [drawn, drawer] = useDisclosure(false);
  const [palette, setPalette] = useState(false);
  const main = useRef<HTMLElement>(null);
  const last = useRef(location);
  const scheme = useColors();
  useHotkeys([['mod+K', () => setPalette(true)]], []);

  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    drawer.close();
    window.scrollTo(0, 0);
    // Who goes by keyboard or screen reader goes on at the new page, not at the navigation.
    main.current?.focus({ preventScroll: true });
  }, [location, drawer]);

  const side = <Side onSignOut={onSignOut} onSearch={() => setPalette(true)} location={location} scheme={scheme} />;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <div className="shell">
        <aside className="side fixed">{side}</aside>
        <div className="top">
          <ActionIcon variant="subtle" color="gray" size="lg" onClick={drawer.open} aria-label="Open navigation">
            <IconMenu2 size={20} />
          </ActionIcon>
          <Link href="/" className="brand">
            <img src={mark} alt="" />
            Postern
          </Link>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={() => setPalette(true)}
            aria-label="Search and go"
          >
            <IconSearch size={20} />
          </ActionIcon>
        </div>
        <main className="main" id="main" ref={main} tabIndex={-1}>
          <Boundary at={location}>
            <Suspense fallback={<Skeleton height={320} radius="md" />}>
              <Pages />
            </Suspense>
          </Boundary>
        </main>
      </div>
      {drawn && (
        <Suspense>
          <Drawn onClose={drawer.close}>
            <div className="side drawn">{side}</div>
          </Drawn>
        </Suspense>
      )}
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} onToggleColors={scheme.toggle} onSignOut={onSignOut} />
        </Suspense>
      )}
    </>
  );
}

interface Colors {
  dark: boolean;
  toggle: () => void;
}

function useColors(): Colors {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return { dark, toggle: () => setColorScheme(dark ? 'light' : 'dark') };
}

interface SideProps {
  location: string;
  scheme: Colors;
  onSearch: () => void;
  onSignOut: () => void;
}

function Side({ location, scheme, onSearch, onSignOut }: SideProps) {
  const session = useSession();
  const groups = Map.groupBy(
    PLACES.filter(({ permission }) => holds(session, permission)),
    ({ group }) => group,
  );
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
      <nav aria-label="Main">
        {[...groups].map(([group, places]) => (
          <div key={group}>
            <div className="group">{group}</div>
            {places.map(({ path, label, icon: Icon }) => (
              <Link
                key={path}
                href={path}
                className="place"
                aria-current={(path === '/' ? location === '/' : location.startsWith(path)) ? 'page' : undefined}
              >
                <Icon size={18} stroke={1.7} />
                {label}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className="foot">
        <a className="place" href={DOCS.href}>
          <DOCS.icon size={18} stroke={1.7} />
          {DOCS.label}
        </a>
        <div className="who">
          <Menu position="top-start" width={220} shadow="md">
            <Menu.Target>
              <UnstyledButton className="account">
                <span>
                  <strong>{session.key.name}</strong>
                  <small>
                    {session.key.permissions.includes('*')
                      ? 'may do everything'
                      : `${session.key.permissions.length} permissions`}
                  </small>
                </span>
                <IconSelector size={16} />
              </UnstyledButton>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>{session.key.permissions.join(', ')}</Menu.Label>
              <Menu.Item leftSection={<IconLogout size={16} />} onClick={onSignOut}>
                Sign out
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Tooltip label={scheme.dark ? 'Light' : 'Dark'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              onClick={scheme.toggle}
              aria-label={scheme.dark ? 'Light colours' : 'Dark colours'}
            >
              {scheme.dark ? <IconSun size={18} /> : <IconMoon size={18} />}
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
    </>
  );
}
