/**
 * One call of each operation with the type that it must give, for whichever compiler reads this file: the workspace's
 * and those of fresh installations. Nothing here is ever called.
 */
import type {
  Alliance,
  AllianceShort,
  Application,
  AppToken,
  Castellan,
  CharacterLocation,
  CharacterMail,
  CharacterMailShort,
  CharacterSkillPoints,
  CharacterWalletBalance,
  Coalition,
  CoalitionShort,
  Compliance,
  ComplianceDay,
  Configuration,
  Corporation,
  CorporationShort,
  CrashReport,
  CrashReportShort,
  Event,
  EventPage,
  ExternalForwardAnswer,
  Group,
  GroupPolicy,
  GroupShort,
  GuestCode,
  HeldChange,
  Job,
  JobDryRun,
  JobRun,
  JoinableGroup,
  Login,
  NewOidcClient,
  NewWebhook,
  OidcClient,
  OidcClientSecret,
  Person,
  PersonChange,
  PersonSplit,
  Preview,
  SystemStatus,
  Token,
  Tracking,
  User,
  UserGroup,
  UserShort,
  UserToken,
  VoiceChallenge,
  Webhook,
  WebhookDelivery,
  WebhookSecret,
  Why,
} from '../../sdk/src/index.ts';

type Exactly<A> = <T>() => T extends A ? 1 : 2;
type Equal<A, B> = Exactly<A> extends Exactly<B> ? true : false;

type Call<Given> = (castellan: Castellan) => Promise<Given>;

/** A call that gives exactly what is expected: no more, no less, and never `any`. Anything else is no call. */
function gives<Expected>() {
  return <Given>(call: Call<Given>) =>
    call as Equal<Given, Expected> extends true ? Call<Given> : { readonly gives: Given };
}

const alliance = { params: { alliance_id: 99000001 } };
const application = { params: { application_id: '66f2a1b3c4d5e6f708192a3d' } };
const coalition = { params: { coalition_id: '66f2a1b3c4d5e6f708192a3d' } };
const corporation = { params: { corporation_id: 98000001 } };
const crash = { params: { crash_report_id: '66f2a1b3c4d5e6f708192a3b' } };
const webhook = { params: { webhook_id: '66f2a1b3c4d5e6f708192a5e' } };
const group = { params: { group_id: '66f2a1b3c4d5e6f708192a3c' } };
const person = { params: { person_id: '66f2a1b3c4d5e6f708192a3e' } };
const oidcClient = { params: { client_id: '66f2a1b3c4d5e6f708192a3e' } };
const character = { params: { character_id: 2112000001 } };

export const operations = {
  application: {
    list: gives<Application[]>()((c) => c.application.list({ query: { role: 'moderator' } })),
    decide: gives<Application>()((c) =>
      c.application.decide({ ...application, body: { decision: 'approved', note: 'Knows the way.' } }),
    ),
    withdraw: gives<undefined>()((c) => c.application.withdraw(application)),
  },
  alliance: {
    list: gives<AllianceShort[]>()((c) => c.alliance.list()),
    get: gives<Alliance>()((c) => c.alliance.get(alliance)),
    tracking: gives<Tracking>()((c) => c.alliance.tracking(alliance)),
    compliance: gives<Compliance>()((c) => c.alliance.compliance(alliance)),
    complianceDays: gives<ComplianceDay[]>()((c) => c.alliance.complianceDays(alliance)),
    register: gives<Alliance>()((c) => c.alliance.register(alliance)),
    update: gives<Alliance>()((c) =>
      c.alliance.update({ ...alliance, body: { mandatory_ext_scopes: ['ext-mail.read_mail.v1'] } }),
    ),
  },
  audit: {
    list: gives<Event[]>()((c) => c.audit.list({ query: { target: 'user:2112000001', limit: 10 } })),
  },
  callback: {
    ext: gives<undefined>()((c) => c.callback.ext({ query: { code: 'c', state: 's' } })),
  },
  coalition: {
    list: gives<CoalitionShort[]>()((c) => c.coalition.list()),
    get: gives<Coalition>()((c) => c.coalition.get(coalition)),
    create: gives<Coalition>()((c) =>
      c.coalition.create({ body: { coalition_name: 'First Coalition', ticker: 'ONE' } }),
    ),
    update: gives<Coalition>()((c) =>
      c.coalition.update({ ...coalition, body: { ticker: 'TWO', authorized_to_login: null } }),
    ),
    delete: gives<undefined>()((c) => c.coalition.delete(coalition)),
    tracking: gives<Tracking>()((c) => c.coalition.tracking(coalition)),
    compliance: gives<Compliance>()((c) => c.coalition.compliance(coalition)),
    complianceDays: gives<ComplianceDay[]>()((c) => c.coalition.complianceDays(coalition)),
  },
  corporation: {
    list: gives<CorporationShort[]>()((c) => c.corporation.list()),
    get: gives<Corporation>()((c) => c.corporation.get(corporation)),
    tracking: gives<Tracking>()((c) => c.corporation.tracking(corporation)),
    compliance: gives<Compliance>()((c) => c.corporation.compliance(corporation)),
    complianceDays: gives<ComplianceDay[]>()((c) => c.corporation.complianceDays(corporation)),
    register: gives<Corporation>()((c) => c.corporation.register(corporation)),
    update: gives<Corporation>()((c) => c.corporation.update({ ...corporation, body: {} })),
    listGuests: gives<UserShort[]>()((c) => c.corporation.listGuests(corporation)),
    createGuestCode: gives<GuestCode>()((c) => c.corporation.createGuestCode(corporation)),
    deleteGuest: gives<undefined>()((c) =>
      c.corporation.deleteGuest({ params: { ...corporation.params, ...character.params } }),
    ),
  },
  crash: {
    list: gives<CrashReportShort[]>()((c) => c.crash.list()),
    get: gives<CrashReport>()((c) => c.crash.get(crash)),
    delete: gives<undefined>()((c) => c.crash.delete(crash)),
  },
  event: {
    // D92: a position, and the cursor of a page as it is.
    list: gives<EventPage>()(async (c) => {
      const { cursor } = await c.event.list({ query: { after: 12, types: 'group.*', wait: 25 } });
      return c.event.list({ query: { after: cursor } });
    }),
  },
  ext: {
    forward: gives<ExternalForwardAnswer>()((c) =>
      c.ext.forward({ params: { esi_path: 'status' }, body: { all_pages: true, params: { ids: [1, 2] } } }),
    ),
    forwardGet: gives<ExternalForwardAnswer>()((c) =>
      c.ext.forwardGet({ params: { esi_path: 'status' }, query: { on_behalf_of: 2112000001 } }),
    ),
  },
  history: {
    locations: gives<CharacterLocation[]>()((c) =>
      c.history.locations({ ...character, headers: { page: 2 } }),
    ),
    mails: gives<CharacterMailShort[]>()((c) => c.history.mails(character)),
    mail: gives<CharacterMail>()((c) =>
      c.history.mail({ params: { ...character.params, mail_id: 380000001 } }),
    ),
    skillPoints: gives<CharacterSkillPoints[]>()((c) => c.history.skillPoints(character)),
    wallet: gives<CharacterWalletBalance[]>()((c) => c.history.wallet(character)),
    storeLocation: gives<CharacterLocation>()((c) => c.history.storeLocation(character)),
  },
  group: {
    list: gives<GroupShort[]>()((c) => c.group.list()),
    get: gives<Group>()((c) => c.group.get(group)),
    create: gives<Group>()((c) => c.group.create({ body: { group_name: 'Scouts' } })),
    update: gives<Group>()((c) => c.group.update({ ...group, body: { add_members: ['Brim Okoro'] } })),
    delete: gives<undefined>()((c) => c.group.delete(group)),
    joinable: gives<JoinableGroup[]>()((c) => c.group.joinable()),
    policy: gives<GroupPolicy>()((c) => c.group.policy(group)),
    setPolicy: gives<GroupPolicy>()((c) =>
      c.group.setPolicy({ ...group, body: { joining: 'open', eligible: { alliances: [99000001] } } }),
    ),
    apply: gives<Application>()((c) => c.group.apply({ ...group, body: { answers: ['Since 2019.'] } })),
    applications: gives<Application[]>()((c) =>
      c.group.applications({ ...group, query: { state: 'pending' } }),
    ),
    leave: gives<undefined>()((c) => c.group.leave(group)),
  },
  person: {
    current: gives<Person>()((c) => c.person.current()),
    link: gives<Person>()((c) => c.person.link({ body: { user_token: 't' } })),
    unlink: gives<Person>()((c) => c.person.unlink(character)),
    update: gives<Person>()((c) => c.person.update({ body: { main: 2112000001 } })),
    merge: gives<Person>()((c) =>
      c.person.merge({ ...person, body: { person_id: '66f2a1b3c4d5e6f708192a3f', reason: 'r' } }),
    ),
    split: gives<PersonSplit>()((c) =>
      c.person.split({ ...person, body: { characters: [2112000002], reason: 'r', dry_run: true } }),
    ),
    history: gives<PersonChange[]>()((c) => c.person.history(person)),
  },
  oidc: {
    listClients: gives<OidcClient[]>()((c) => c.oidc.listClients()),
    getClient: gives<OidcClient>()((c) => c.oidc.getClient(oidcClient)),
    createClient: gives<NewOidcClient>()((c) =>
      c.oidc.createClient({ body: { client_name: 'Wiki', redirect_uris: ['https://wiki.example/back'] } }),
    ),
    updateClient: gives<OidcClient>()((c) =>
      c.oidc.updateClient({ ...oidcClient, body: { allowed_groups: [], backchannel_logout_uri: '' } }),
    ),
    deleteClient: gives<undefined>()((c) => c.oidc.deleteClient(oidcClient)),
    renewSecret: gives<OidcClientSecret>()((c) => c.oidc.renewSecret(oidcClient)),
  },
  system: {
    configuration: gives<Configuration>()((c) => c.system.configuration()),
    held: gives<HeldChange[]>()((c) => c.system.held()),
    jobs: gives<Job[]>()((c) => c.system.jobs()),
    status: gives<SystemStatus>()((c) => c.system.status()),
    runJob: gives<JobRun | JobDryRun>()((c) =>
      c.system.runJob({ params: { job_id: 'sync-users' }, query: { dry_run: true } }),
    ),
  },
  token: {
    current: gives<Token>()((c) => c.token.current()),
    delete: gives<undefined>()((c) => c.token.delete({ query: { uuid: 'u' } })),
    createDynamic: gives<AppToken>()((c) =>
      c.token.createDynamic({ body: { callback: 'https://fleet.example/castellan' } }),
    ),
    createPermanent: gives<AppToken>()((c) =>
      c.token.createPermanent({ body: { callback: 'https://fleet.example/castellan' } }),
    ),
    startLogin: gives<Login>()((c) => c.token.startLogin()),
    createUserToken: gives<UserToken>()((c) => c.token.createUserToken()),
    logout: gives<undefined>()((c) => c.token.logout()),
  },
  user: {
    list: gives<UserShort[]>()((c) => c.user.list({ query: { search: 'vale', corporation_id: 98000001 } })),
    get: gives<User>()((c) => c.user.get({ params: { character_name: 'Ada Vale' } })),
    person: gives<Person>()((c) => c.user.person({ params: { character: 'Ada Vale' } })),
    groups: gives<UserGroup[]>()((c) => c.user.groups({ params: { character: 'Ada Vale' } })),
    why: gives<Why>()((c) => c.user.why({ params: { character: 'Ada Vale' }, query: { about: 'login' } })),
    update: gives<User>()((c) => c.user.update({ ...character, body: { clearance_level: 2 } })),
    delete: gives<undefined>()((c) => c.user.delete(character)),
  },
  voice: {
    start: gives<VoiceChallenge>()((c) => c.voice.start()),
    complete: gives<undefined>()((c) => c.voice.complete()),
  },
  webhook: {
    list: gives<Webhook[]>()((c) => c.webhook.list()),
    get: gives<Webhook>()((c) => c.webhook.get(webhook)),
    create: gives<NewWebhook>()((c) =>
      c.webhook.create({ body: { url: 'https://bot.example/in', types: ['group.*'] } }),
    ),
    update: gives<Webhook>()((c) => c.webhook.update({ ...webhook, body: { enabled: true } })),
    delete: gives<undefined>()((c) => c.webhook.delete(webhook)),
    rotate: gives<WebhookSecret>()((c) => c.webhook.rotate(webhook)),
    test: gives<WebhookDelivery>()((c) => c.webhook.test(webhook)),
    listDeliveries: gives<WebhookDelivery[]>()((c) =>
      c.webhook.listDeliveries({ ...webhook, query: { state: 'failed' } }),
    ),
    retry: gives<WebhookDelivery>()((c) =>
      c.webhook.retry({ params: { ...webhook.params, delivery_id: '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10' } }),
    ),
    replay: gives<Webhook>()((c) => c.webhook.replay({ ...webhook, body: { after: 48000 } })),
  },
} satisfies { [Resource in keyof Castellan]: { [Name in keyof Castellan[Resource]]: Call<unknown> } };

/** What would change, before it does (D121). */
export const previews = [
  gives<Preview>()((c) => c.alliance.update.preview({ ...alliance, body: {} })),
  gives<Preview>()((c) => c.coalition.update.preview({ ...coalition, body: { ticker: 'TWO' } })),
  gives<Preview>()((c) => c.coalition.delete.preview(coalition)),
  gives<Preview>()((c) => c.corporation.update.preview({ ...corporation, body: {} })),
  gives<Preview>()((c) =>
    c.corporation.deleteGuest.preview({ params: { ...corporation.params, ...character.params } }),
  ),
  gives<Preview>()((c) => c.group.update.preview({ ...group, body: { members: [] } })),
  gives<Preview>()((c) => c.group.delete.preview(group)),
  gives<Preview>()((c) => c.group.setPolicy.preview({ ...group, body: { joining: 'open' } })),
  gives<Preview>()((c) => c.user.update.preview({ ...character, body: { clearance_level: 2 } })),
  gives<Preview>()((c) => c.user.delete.preview(character)),
] satisfies Call<unknown>[];

export const refused = {
  // @ts-expect-error: a path parameter is missing.
  missing: (c: Castellan) => c.group.get(),
  // @ts-expect-error: ids of the game are numbers.
  text: (c: Castellan) => c.alliance.get({ params: { alliance_id: '99000001' } }),
  // @ts-expect-error: nothing of this name can be changed.
  unknown: (c: Castellan) => c.group.update({ ...group, body: { colour: 'red' } }),
  // @ts-expect-error: a scope that does not exist.
  scope: (c: Castellan) => c.alliance.update({ ...alliance, body: { mandatory_ext_scopes: ['mail'] } }),
  // @ts-expect-error: nothing is taken from anybody by asking.
  preview: (c: Castellan) => c.group.list.preview(),
  // @ts-expect-error: only a cursor may be text.
  limit: (c: Castellan) => c.event.list({ query: { limit: '10' } }),
  // @ts-expect-error: listings without pages have no page.
  page: (c: Castellan) => c.group.list({ query: { page: 2 } }),
};
