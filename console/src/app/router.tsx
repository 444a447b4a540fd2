import { Text } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { HOME } from '../session/addresses.ts';
import { LinkAnchor } from '../shared/links.tsx';
import { Loading } from '../shared/loading.tsx';
import { Problem } from '../shared/problem.tsx';
import { Screen } from '../shared/screen.tsx';
import { t } from '../text/text.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** A route whose screen is loaded on the first visit. */
function screen<Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component });
}

const registry = () => import('../screens/registry/registry.tsx');

const routes = [
  screen(
    '/',
    lazyRouteComponent(() => import('../screens/standing/standing.tsx'), 'Standing'),
  ),
  screen(
    '/characters',
    lazyRouteComponent(() => import('../screens/person/my-characters.tsx'), 'MyCharacters'),
  ),
  screen(
    '/groups',
    lazyRouteComponent(() => import('../screens/group/groups.tsx'), 'Groups'),
  ),
  screen(
    '/group/$id',
    lazyRouteComponent(() => import('../screens/group/group.tsx'), 'Group'),
  ),
  screen(
    '/inbox',
    lazyRouteComponent(() => import('../screens/group/inbox.tsx'), 'Inbox'),
  ),
  screen('/registry', lazyRouteComponent(registry, 'Registry')),
  screen(
    '/alliance/$id',
    lazyRouteComponent(() => import('../screens/registry/alliance.tsx'), 'Alliance'),
  ),
  screen(
    '/corporation/$id',
    lazyRouteComponent(() => import('../screens/registry/corporation.tsx'), 'Corporation'),
  ),
  screen(
    '/coalition/$id',
    lazyRouteComponent(() => import('../screens/registry/coalition.tsx'), 'Coalition'),
  ),
  screen(
    '/users',
    lazyRouteComponent(() => import('../screens/user/users.tsx'), 'Users'),
  ),
  screen(
    '/user/$name',
    lazyRouteComponent(() => import('../screens/user/user.tsx'), 'User'),
  ),
  screen(
    '/trail',
    lazyRouteComponent(() => import('../screens/audit/trail.tsx'), 'Trail'),
  ),
  screen(
    '/audit',
    lazyRouteComponent(() => import('../screens/audit/audit.tsx'), 'Audit'),
  ),
  screen(
    '/applications',
    lazyRouteComponent(() => import('../screens/application/applications.tsx'), 'Applications'),
  ),
  screen(
    '/system',
    lazyRouteComponent(() => import('../screens/system/system.tsx'), 'System'),
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: HOME,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: Problem,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <Screen title={t('There is nothing here')}>
      <Text>
        {t('No screen has this address.')} <LinkAnchor to="/">{t('Back to my standing')}</LinkAnchor>
      </Text>
    </Screen>
  );
}
