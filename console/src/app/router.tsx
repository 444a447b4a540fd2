import { Text } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  notFound,
  type RouteComponent,
} from '@tanstack/react-router';
import { HOME } from '../session/addresses.ts';
import { later, loadAgain, loadTheRest } from '../shared/later.ts';
import { LinkAnchor } from '../shared/links.tsx';
import { Loading } from '../shared/loading.tsx';
import { Problem } from '../shared/problem.tsx';
import { Screen } from '../shared/screen.tsx';
import { t } from '../text/text.ts';
import { ahead, type Needs } from './ahead.ts';
import * as needs from './needs.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** Records with the ids of the game, which are numbers: at any other address there are none. */
const OF_THE_GAME: readonly string[] = ['/alliance/$id', '/corporation/$id'];

/** A route whose screen is loaded on the first visit, in parallel with its data. */
function screen<Path extends string>(path: Path, component: RouteComponent, what: Needs) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component,
    beforeLoad: ({ params }) => {
      const { id = '' } = params as { readonly id?: string };
      if (OF_THE_GAME.includes(path) && !/^[0-9]+$/.test(id)) throw notFound();
    },
    loader: ({ params }) => ahead(what, params),
  });
}

const Invitation = later(() => import('./invitation.tsx'), 'Invitation');
const Standing = later(() => import('../screens/standing/standing.tsx'), 'Standing');
const MyCharacters = later(() => import('../screens/person/my-characters.tsx'), 'MyCharacters');
const Trail = later(() => import('../screens/audit/trail.tsx'), 'Trail');
const Groups = later(() => import('../screens/group/groups.tsx'), 'Groups');
const Group = later(() => import('../screens/group/group.tsx'), 'Group');
const Inbox = later(() => import('../screens/group/inbox.tsx'), 'Inbox');
const Registry = later(() => import('../screens/registry/registry.tsx'), 'Registry');
const Alliance = later(() => import('../screens/registry/alliance.tsx'), 'Alliance');
const Corporation = later(() => import('../screens/registry/corporation.tsx'), 'Corporation');
const Coalition = later(() => import('../screens/registry/coalition.tsx'), 'Coalition');
const Users = later(() => import('../screens/user/users.tsx'), 'Users');
const User = later(() => import('../screens/user/user.tsx'), 'User');
const Audit = later(() => import('../screens/audit/audit.tsx'), 'Audit');
const Applications = later(() => import('../screens/connection/applications.tsx'), 'Applications');
const System = later(() => import('../screens/system/system.tsx'), 'System');

const routes = [
  screen('/', Standing, needs.standing),
  screen('/invitation', Invitation, needs.invitation),
  screen('/characters', MyCharacters, needs.characters),
  screen('/trail', Trail, needs.trail),
  screen('/groups', Groups, needs.groups),
  screen('/group/$id', Group, needs.group),
  screen('/inbox', Inbox, needs.inbox),
  screen('/registry', Registry, needs.registry),
  screen('/alliance/$id', Alliance, needs.alliance),
  screen('/corporation/$id', Corporation, needs.corporation),
  screen('/coalition/$id', Coalition, needs.coalition),
  screen('/users', Users, needs.users),
  screen('/user/$character', User, needs.user),
  screen('/audit', Audit, needs.audit),
  screen('/applications', Applications, needs.applications),
  screen('/system', System, needs.system),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: HOME,
  defaultPreload: 'intent',
  // TanStack Query decides what is stale.
  defaultPreloadStaleTime: 0,
  // A cached match would be rendered without waiting for its data.
  defaultGcTime: 0,
  defaultPendingMinMs: 0,
  // What is chosen, typed or open on the screen of one record must not pass to that of the next one.
  defaultRemountDeps: ({ params }) => params,
  defaultPendingComponent: Loading,
  defaultErrorComponent: Failed,
  scrollRestoration: true,
});

const stop = router.subscribe('onRendered', () => {
  stop();
  void loadTheRest();
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Shown when a screen fails as a whole, because its code is missing or even its heading needs data. */
function Failed({ error, reset }: ErrorComponentProps) {
  const { reset: forgive } = useQueryErrorResetBoundary();
  const again = () => {
    forgive();
    loadAgain();
    reset();
  };
  return (
    <Screen title={t('This cannot be shown')}>
      <Problem error={error} retry={again} />
    </Screen>
  );
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
