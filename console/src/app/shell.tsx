import { AppShell, Burger, Button, Group, Kbd, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLive } from '../session/live.ts';
import { useMe } from '../session/me.ts';
import { signOut } from '../session/sign-in.ts';
import { Logo, SearchIcon, SignOutIcon } from '../shared/icons.tsx';
import { LinkNav } from '../shared/links.tsx';
import { Name } from '../shared/name.tsx';
import { Notices } from '../shared/notices.tsx';
import { Part } from '../shared/screen.tsx';
import { t } from '../text/text.ts';
import { ColorScheme } from './color-scheme.tsx';
import { Ending } from './ending.tsx';
import { useFocusThatStays } from './focus.ts';
import { Palette, usePaletteKeys } from './palette.tsx';
import { PLACES } from './places.tsx';

/** The frame around every screen: header, menu and palette. */
export function Shell() {
  const [menuOpen, menu] = useDisclosure(false);
  const [paletteOpen, palette] = useDisclosure(false);
  usePaletteKeys(palette.open);
  useLive();
  useFocusOnTheHeading();
  useFocusThatStays();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the screen changes.
  useEffect(menu.close, [path]);
  return (
    <>
      <a href="#main" className="skip">
        {t('Skip to the content')}
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !menuOpen } }}
        padding="md"
      >
        <AppShell.Header>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Burger
                opened={menuOpen}
                onClick={menu.toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={t('Menu')}
                aria-expanded={menuOpen}
              />
              <Logo />
              <Text fw={700} visibleFrom="xs">
                castellan
              </Text>
            </Group>
            <Group gap="xs" wrap="nowrap">
              <Button
                variant="default"
                onClick={palette.open}
                leftSection={<SearchIcon size={16} />}
                rightSection={
                  <Kbd size="xs" visibleFrom="sm">
                    Ctrl K
                  </Kbd>
                }
              >
                {t('Find')}
              </Button>
              <ColorScheme />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label={t('Screens')} className="menu" mod={{ closed: !menuOpen }}>
          <Part rows={4}>
            <Menu />
          </Part>
        </AppShell.Navbar>
        <AppShell.Main id="main" tabIndex={-1}>
          {/* In sight, should it fail to open. */}
          <Palette opened={paletteOpen} close={palette.close} />
          <Outlet />
        </AppShell.Main>
      </AppShell>
      <Notices />
      <Ending />
    </>
  );
}

/** Focuses the heading after a navigation, so that screen readers announce it and Tab continues in the screen. */
function useFocusOnTheHeading(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (before.current !== undefined && before.current !== path) {
      // Some screens have no heading before their data has loaded.
      const heading = document.querySelector<HTMLElement>('h1') ?? document.getElementById('main');
      heading?.focus({ preventScroll: true });
    }
    before.current = path;
  }, [path]);
}

function Menu() {
  const me = useMe();
  return (
    <>
      <AppShell.Section grow>
        {PLACES.filter(({ level }) => me.clearance_level >= level).map(
          ({ to, label, icon: Icon, Beside }) => (
            <LinkNav
              key={to}
              to={to}
              label={t(label)}
              leftSection={<Icon />}
              {...(Beside !== undefined && { rightSection: <Beside /> })}
              activeOptions={{ exact: to === '/' }}
            />
          ),
        )}
      </AppShell.Section>
      <AppShell.Section p="xs">
        <Text size="sm" mb="xs" truncate>
          <Name of={me.character_name} />
        </Text>
        <Button
          variant="default"
          fullWidth
          leftSection={<SignOutIcon size={16} />}
          onClick={() => void signOut()}
        >
          {t('Sign out')}
        </Button>
      </AppShell.Section>
    </>
  );
}
