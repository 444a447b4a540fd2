import { sql } from 'kysely';
import { nameKey } from '../database/name-key.ts';
import { objectId } from '../database/object-id.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Parts } from '../parts.ts';
import { type Findings, findAlliance } from '../registry/findings.ts';
import { saveFindings } from '../registry/save.ts';
import { rootToken } from '../token/root-token.ts';
import { type DemoApplication, startDemoApplication } from './demo-application.ts';
import { keepForWorkers } from './development.ts';
import type { SimulatedProvider } from './provider.ts';
import { VOICE_PATH } from './voice-page.ts';

export interface Welcome {
  /** For the terminal: where everything is, and what to do next. */
  readonly message: string;
  stop(): Promise<void>;
}

const FIRST_COALITION = 'First Coalition';

/** Makes a fresh development instance usable at once: a coalition let in, an application to sign in to. */
export async function startWelcome(parts: Parts, provider: SimulatedProvider): Promise<Welcome> {
  await keepForWorkers(parts.settings, provider);
  await letFirstCoalitionIn(parts, provider);
  const demo = await startDemoApplication(parts);
  return { message: await message(parts, provider, demo), stop: () => demo.stop() };
}

/** Once, while there is no coalition at all: what an operator has made since stays as it is. */
async function letFirstCoalitionIn({ db, api, clock }: Parts, { world }: SimulatedProvider): Promise<void> {
  const any = await db.selectFrom('coalitions').select('coalition_id').limit(1).executeTakeFirst();
  if (any !== undefined) return;
  const found: Findings[] = [];
  for (const { id } of world.alliances) {
    const findings = await findAlliance(api, id);
    if (findings !== undefined) found.push(findings);
  }
  await inTransaction(db, async (tx) => {
    for (const findings of found) await saveFindings(tx, findings, clock.now());
    const coalition_id = objectId(clock.now());
    await tx
      .insertInto('coalitions')
      .values({
        coalition_id,
        coalition_name: FIRST_COALITION,
        name_key: nameKey(FIRST_COALITION),
        ticker: 'FIRST',
        authorized_to_login: true,
      })
      .execute();
    await sql`
      insert into coalition_alliances (coalition_id, alliance_id)
      select ${coalition_id}, alliance_id from alliances`.execute(tx);
  });
}

async function message(parts: Parts, provider: SimulatedProvider, demo: DemoApplication): Promise<string> {
  const { baseUrl } = parts.settings;
  const voice = provider.voice === undefined ? '' : `\n    Voice        ${provider.url}${VOICE_PATH}`;
  // The token starts its line, so that copying the line copies the token alone, however it wraps.
  return `
  castellan is ready. The game provider beside it is simulated.

    API          ${baseUrl}
    Reference    ${baseUrl}/docs
    Provider     ${provider.url}${voice}

  Sign somebody in:

    1. Open ${demo.url} in a browser, choose “Sign in”,
       and pick a character that has an alliance.
    2. The page you come back to shows the user token that the application got,
       and a curl command: run it, and the API tells whose token that is.

  Your own permanent token (built-in user, level 10; \`npm run token\` prints it
  again):

${await rootToken(parts, 0)}

  Ctrl-C stops everything.

`;
}
