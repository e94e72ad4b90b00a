/** The frame of every page: navigation, session, theme, command palette. */
import { ActionIcon, Skeleton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { IconMenu2, IconSearch } from '../parts/icons.ts';
import { Aside, Boundary } from './boundary.tsx';
import { useColors } from './colors.ts';
import { useKeptFocus } from './kept-focus.ts';
import { lazily, NewVersion } from './lazily.tsx';
import mark from './mark.svg';
import { Pages } from './pages.tsx';
import type { Typed } from './palette.tsx';
import { Side } from './side.tsx';

const Palette = lazily(() => import('./palette.tsx'));
const Drawn = lazily(() => import('./drawn.tsx'));

export function Frame({ onSignOut }: { onSignOut: () => void }) {
  const [location] = useLocation();
  const [drawn, drawer] = useDisclosure(false);
  const [palette, setPalette] = useState(false);
  const typed = useTypedAhead(palette);
  const scheme = useColors();
  const main = useNewPage(location, drawer.close);
  useKeptFocus();
  useHotkeys([['mod+K', () => setPalette(true)]], []);

  const side = <Side onSignOut={onSignOut} onSearch={() => setPalette(true)} location={location} scheme={scheme} />;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <div className="shell">
        <aside className="side fixed">{side}</aside>
        <TopBar onOpen={drawer.open} onSearch={() => setPalette(true)} />
        <main className="main" id="main" ref={main} tabIndex={-1}>
          <Boundary at={location}>
            <Suspense fallback={<Skeleton height={320} radius="md" />}>
              <Pages />
            </Suspense>
          </Boundary>
          <div id="layers" />
        </main>
      </div>
      <NewVersion />
      {drawn && (
        <Aside onFailed={drawer.close}>
          <Drawn onClose={drawer.close}>
            <div className="side drawn">{side}</div>
          </Drawn>
        </Aside>
      )}
      {palette && (
        <Aside onFailed={() => setPalette(false)}>
          <Palette
            typed={typed}
            onClose={() => setPalette(false)}
            onToggleColors={scheme.toggle}
            onSignOut={onSignOut}
          />
        </Aside>
      )}
    </>
  );
}

/** Collects what is typed until the search field of the palette has the focus, while it loads and opens. */
function useTypedAhead(isOpen: boolean): Typed {
  const [query, onChange] = useState('');
  useEffect(() => {
    if (!isOpen) return;
    onChange('');
    const take = (event: KeyboardEvent) => {
      const isThere = event.target instanceof HTMLInputElement && event.target.closest('[role="dialog"]') !== null;
      const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isThere || !isText) return;
      event.preventDefault();
      onChange((before) => before + event.key);
    };
    addEventListener('keydown', take, true);
    return () => removeEventListener('keydown', take, true);
  }, [isOpen]);
  return { query, onChange };
}

/** Starts a new page at its top. Returns the ref of the element to focus. */
function useNewPage(location: string, onChange: () => void): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const last = useRef(location);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    onChange();
    window.scrollTo(0, 0);
    // Keyboard and screen reader users continue in the new page, not in the navigation.
    main.current?.focus({ preventScroll: true });
  }, [location, onChange]);
  return main;
}

interface TopBarProps {
  onOpen: () => void;
  onSearch: () => void;
}

/** The bar of narrow screens. */
function TopBar({ onOpen, onSearch }: TopBarProps) {
  return (
    <div className="top">
      <ActionIcon variant="subtle" color="gray" size="lg" onClick={onOpen} aria-label="Open navigation">
        <IconMenu2 size={20} />
      </ActionIcon>
      <Link href="/" className="brand">
        <img src={mark} alt="" />
        Postern
      </Link>
      <ActionIcon variant="subtle" color="gray" size="lg" onClick={onSearch} aria-label="Search and go">
        <IconSearch size={20} />
      </ActionIcon>
    </div>
  );
}
