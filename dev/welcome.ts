import { type AccessRule, MAX_LEVEL } from '../contract/access.ts';
import { contract } from '../contract/index.ts';
import type { Admission } from '../server/access/admission.ts';
import { authenticate } from '../server/access/authenticate.ts';
import { isAdministrator } from '../server/access/clearance-levels.ts';
import { registerAlliance } from '../server/alliance/alliance.ts';
import { listCoalitions } from '../server/coalition/coalition.queries.ts';
import { createCoalition, updateCoalition } from '../server/coalition/coalition.ts';
import { findConsoleBuild } from '../server/console/build.ts';
import type { Services } from '../server/services/services.ts';
import { rootToken } from '../server/token/root-token.ts';
import { updateUser } from '../server/user/user.ts';
import { findUser } from '../server/user/user-record.queries.ts';
import { type DemoApplication, startDemoApplication } from './demo-application.ts';
import { publishToWorkers } from './development.ts';
import type { SimulatedProvider } from './provider/provider.ts';
import { VOICE_PATH } from './voice-server/page.ts';

export interface Welcome {
  /** Text for the terminal: addresses, and what to do next. */
  readonly message: string;
  stop(): Promise<void>;
}

/** Prepares a new development instance: registers a coalition that may log in, and starts the demo application. */
export async function startWelcome(services: Services, provider: SimulatedProvider): Promise<Welcome> {
  await publishToWorkers(services.settings, provider);
  await letFirstCoalitionIn(services, provider);
  const administrator = await pointOutAdministrator(services, provider);
  const demo = await startDemoApplication(services);
  return { message: await message(services, provider, demo, administrator), stop: () => demo.stop() };
}

/**
 * Does so only while there is no coalition, so that an operator's changes stay. Uses the functions behind the API, so
 * that all consequences (events, autogroups) follow.
 */
async function letFirstCoalitionIn(services: Services, { world }: SimulatedProvider): Promise<void> {
  if ((await listCoalitions(services.db)).length > 0) return;
  const caller = await authenticate(services, `Bearer ${await rootToken(services, 0)}`);
  const { clock } = services;
  const by = (rule: AccessRule, params = {}): Admission => ({ caller, rule, params, body: undefined, clock });
  const alliances = world.alliances.map(({ id }) => id);
  for (const id of alliances)
    await registerAlliance(services, by(contract.alliance.register.metadata.access), id);
  const { coalition_id } = await createCoalition(services, by(contract.coalition.create.metadata.access), {
    coalition_name: 'First Coalition',
    ticker: 'FIRST',
  });
  const operator = by(contract.coalition.update.metadata.access, { coalition_id });
  await updateCoalition(services, operator, coalition_id, { add_member_alliances: alliances });
  const character_id = candidate(world);
  const level = by(contract.user.update.metadata.access, { character_id });
  await updateUser(services, level, character_id, MAX_LEVEL);
}

/** The leader of the last alliance: registered with it, and on the first page of the simulated sign-on. */
function candidate({ alliances }: SimulatedProvider['world']): number {
  return alliances.at(-1)?.creatorId ?? 0;
}

/** Marks the administrator of the first start on the simulated sign-on's page while it has that level. */
async function pointOutAdministrator(
  { db }: Services,
  { world }: SimulatedProvider,
): Promise<string | undefined> {
  const user = await findUser(db, candidate(world));
  if (user === undefined || !isAdministrator(user.clearance_level)) return undefined;
  world.remarks.set(user.character_id, 'Administrator here');
  return user.character_name;
}

async function message(
  services: Services,
  provider: SimulatedProvider,
  demo: DemoApplication,
  administrator: string | undefined,
): Promise<string> {
  const { baseUrl } = services.settings;
  const hasConsole = services.settings.console && findConsoleBuild() !== undefined;
  const as = administrator === undefined ? '' : `, and pick\n  ${administrator}, who is administrator here`;
  const consoleLines = hasConsole
    ? `\n  Open the console, choose “Sign in”${as}:\n\n    Console      ${baseUrl}/console/\n`
    : '';
  const voice = provider.voice === undefined ? '' : `\n    Voice        ${provider.url}${VOICE_PATH}`;
  // The token is at the beginning of a line, so that copying the line copies only the token.
  return `
  castellan is ready. The game provider beside it is simulated.
${consoleLines}
    API          ${baseUrl}
    Reference    ${baseUrl}/docs
    Provider     ${provider.url}${voice}

  Sign somebody in to another application:

    1. Open ${demo.url} in a browser, choose “Sign in”,
       and pick a character that has an alliance.
    2. The page you come back to shows the user token that the application got,
       and a curl command: run it, and the API tells whose token that is.

  Your own permanent token (built-in user, level 10; \`npm run token\` prints it
  again):

${await rootToken(services, 0)}

  Ctrl-C stops everything.

`;
}
