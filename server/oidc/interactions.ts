import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeJwt } from 'jose';
import type { Provider } from 'oidc-provider';
import { isAdministrator } from '../access/clearance-levels.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { answerInteraction } from '../session/artifacts.queries.ts';
import { digestOf } from '../shared/digest.ts';
import { bindingCookie, bindingRemovals, interactionUrl } from '../sign-in/interaction.ts';
import { linksOf } from '../sign-in/pages.ts';
import { judgeUser } from '../sign-in/sign-in.queries.ts';
import { startInteractionLogin } from '../sign-in/start-login.ts';
import { type SignedIn, takeSignIn } from '../sign-in/state-code.queries.ts';
import { notAllowedFor } from '../sign-in/why-not-allowed.ts';
import { findAccount, findAllowedGroups, findName, isLetIn } from './account.queries.ts';
import { giveConsent } from './consent.ts';
import { errors } from './library.ts';
import { consentPage, errorPage, policyOfForm, refusedPage } from './pages.ts';

/** The answer to a browser at a step of an interaction. */
type Answer =
  | { readonly redirectTo: string; readonly cookies?: readonly string[] }
  | {
      readonly is: 'page' | 'refusal' | 'fault';
      readonly html: string;
      readonly policy?: string;
    };

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** A request for a step; its cookie names the interaction. */
interface Step {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The interaction's uid in the path. */
  readonly uid: string;
}

export type Interactions = Readonly<
  Record<'begin' | 'login' | 'again' | 'deny' | 'consent', (step: Step) => Promise<Answer>>
>;

/** Answers the consent prompt; the grant is made when the request continues. */
const CONSENTED = { consent: {} };
const OTHER_CHARACTER = { error: 'login_required', error_description: 'another character signed in' };

/**
 * The steps of a user between an authorization request and its answer: signing in, consenting, declining (D82, D84).
 */
export function createInteractions(services: Services, provider: Provider): Interactions {
  const { db, clock, settings } = services;

  /** Redirects to the game's sign-on, from which the same browser returns to the step `login`. */
  async function signOn({ req }: Step, { uid }: Interaction): Promise<Answer> {
    const { login_url, state_code } = await startInteractionLogin(services, digestOf(uid));
    const cookies = [
      ...bindingRemovals(settings, req.headers.cookie),
      bindingCookie(settings, state_code, uid),
    ];
    return { redirectTo: login_url, cookies };
  }

  async function finish({ req, res }: Step, result: object): Promise<Answer> {
    return { redirectTo: await provider.interactionResult(req, res, { ...result }) };
  }

  async function refuse(step: Step, interaction: Interaction): Promise<Answer> {
    const { clientId, characterId, uid } = partsOf(interaction);
    const judged = await judgeUser(db, characterId);
    const client = await provider.Client.find(clientId);
    const admitted = await isLetIn(db, characterId, clientId);
    // The user or application was deleted, or is no longer refused: the next sign-in is judged anew.
    if (judged === undefined || client === undefined || admitted) return signOn(step, interaction);
    const name = (await findName(db, characterId)) ?? '';
    const links = linksOf({
      giveUp: interactionUrl(settings, uid, 'deny'),
      asAnother: interactionUrl(settings, uid, 'again'),
    });
    // What refuses sign-ins ends no session of an administrator (D27b), so it is not what refuses here.
    const why =
      judged.admitted || isAdministrator(judged.level)
        ? { name, groups: await findAllowedGroups(db, clientId) }
        : notAllowedFor({ name, characterId }, judged);
    return { is: 'refusal', html: refusedPage(why, client.clientName ?? clientId, links) };
  }

  async function ask(step: Step, interaction: Interaction): Promise<Answer> {
    const { clientId, characterId, uid, scopes, redirectUri } = partsOf(interaction);
    const account = await findAccount(db, characterId, clientId);
    const client = await provider.Client.find(clientId);
    if (account === undefined || client === undefined) return refuse(step, interaction);
    // With prompt=consent nobody is asked either, so nobody agrees to anything.
    if (client.first_party === true) return finish(step, CONSENTED);
    const names = { client: client.clientName ?? clientId, character: account.character_name, scopes };
    const action = interactionUrl(settings, uid, 'consent');
    return {
      is: 'page',
      html: consentPage(names, action, interactionUrl(settings, uid, 'deny')),
      policy: policyOfForm(redirectUri),
    };
  }

  async function agree(step: Step, interaction: Interaction): Promise<Answer> {
    const { clientId, characterId, scopes } = partsOf(interaction);
    const consented = { characterId, clientId, scopes, sessionUid: interaction.session?.uid ?? '' };
    // A consent page that was opened before the session ended is not valid for the character's new owner (D29b).
    const client = await provider.Client.find(clientId);
    if (!(await giveConsent(services, consented, client?.clientName ?? clientId))) {
      throw new errors.SessionNotFound('the session is over');
    }
    return finish(step, CONSENTED);
  }

  /**
   * Hands a sign-in to its interaction, by one transaction: neither is it lost between the two, nor taken twice. False
   * when nobody signed in.
   */
  function answerSignedIn(interaction: Interaction): Promise<boolean> {
    const uidHash = digestOf(interaction.uid);
    return inTransaction(db, async (tx) => {
      const signedIn = await takeSignIn(tx, uidHash, clock.now());
      if (signedIn === undefined) return false;
      await answerInteraction(tx, uidHash, resultOf(interaction, signedIn));
      return true;
    });
  }

  const steps: Interactions = {
    async begin(step) {
      const interaction = await find(provider, step);
      switch (interaction.prompt.name) {
        case 'login':
        case 'select_account':
          return signOn(step, interaction);
        case 'access':
          return refuse(step, interaction);
        default:
          return ask(step, interaction);
      }
    },
    async login(step) {
      const interaction = await find(provider, step);
      // A browser to which the answer was lost asks again.
      if (!(await answerSignedIn(interaction)) && interaction.result === undefined) {
        throw new errors.SessionNotFound('nobody signed in');
      }
      return { redirectTo: interaction.returnTo };
    },
    again: async (step) => signOn(step, await find(provider, step)),
    async deny(step) {
      await find(provider, step);
      return finish(step, { error: 'access_denied', error_description: 'the user turned back' });
    },
    async consent(step) {
      const interaction = await find(provider, step);
      if (interaction.prompt.name !== 'consent') throw new errors.SessionNotFound('nothing to agree to');
      return agree(step, interaction);
    },
  };
  return Object.fromEntries(
    Object.entries(steps).map(([name, take]) => [name, (step: Step) => take(step).catch(explain)]),
  ) as Interactions;
}

/**
 * Loads the interaction of the browser's cookie, which must be the one in the path (protects against login CSRF). It ends
 * where its redirect URI was removed meanwhile, to which its errors would go (D81).
 */
async function find(provider: Provider, { req, res, uid }: Step): Promise<Interaction> {
  const interaction = await provider.interactionDetails(req, res);
  if (interaction.uid !== uid) throw new errors.SessionNotFound('another interaction');
  const { clientId, redirectUri } = partsOf(interaction);
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new errors.InvalidClient('the application was deleted');
  if (!client.redirectUriAllowed(redirectUri)) throw new errors.InvalidRedirectUri();
  return interaction;
}

/** Shows errors of the library as a page; rethrows all others. */
function explain(error: unknown): Answer {
  if (!(error instanceof errors.OIDCProviderError)) throw error;
  return { is: 'fault', html: errorPage(error, error) };
}

/** What a sign-in answers, on top of what earlier interactions of the request have answered. */
function resultOf(interaction: Interaction, { character_id, signed_in_on }: SignedIn): object {
  const hinted = hintedBy(interaction);
  if (hinted !== undefined && hinted !== String(character_id)) return OTHER_CHARACTER;
  const login = { accountId: String(character_id), ts: Math.floor(signed_in_on.getTime() / 1000) };
  // The sign-on lets the player choose a character, so this answers both prompts.
  return { ...interaction.lastSubmission, login, select_account: {} };
}

/**
 * The character that an application wants, by its `id_token_hint`, which the library validated when the interaction
 * began but forgets at its end: no other may get a code (OpenID Connect Core, 3.1.2.2).
 */
function hintedBy({ params }: Interaction): string | undefined {
  return typeof params.id_token_hint === 'string' ? decodeJwt(params.id_token_hint).sub : undefined;
}

/** The interaction's parts; the library validated them when the interaction began. */
function partsOf({ uid, params, session, result }: Interaction) {
  const accountId = session?.accountId ?? result?.login?.accountId;
  return {
    uid,
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    characterId: Number(accountId),
    scopes: String(params.scope ?? '')
      .split(' ')
      .filter(Boolean),
  };
}
