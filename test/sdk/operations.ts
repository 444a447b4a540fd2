/**
 * One call of each operation with the type that it must give, for whichever compiler reads this file: the workspace's
 * and those of fresh installations. Nothing here is ever called.
 */
import type {
  Alliance,
  AllianceShort,
  AppToken,
  Castellan,
  CharacterLocation,
  CharacterMail,
  CharacterMailShort,
  CharacterSkillPoints,
  CharacterWalletBalance,
  Coalition,
  CoalitionShort,
  Configuration,
  Corporation,
  CorporationShort,
  CrashReport,
  CrashReportShort,
  Event,
  EventPage,
  ExternalForwardAnswer,
  Group,
  GroupShort,
  GuestCode,
  Job,
  JobDryRun,
  JobRun,
  Login,
  NewWebhook,
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
const coalition = { params: { coalition_id: '66f2a1b3c4d5e6f708192a3d' } };
const corporation = { params: { corporation_id: 98000001 } };
const crash = { params: { crash_report_id: '66f2a1b3c4d5e6f708192a3b' } };
const webhook = { params: { webhook_id: '66f2a1b3c4d5e6f708192a5e' } };
const group = { params: { group_id: '66f2a1b3c4d5e6f708192a3c' } };
const character = { params: { character_id: 2112000001 } };

export const operations = {
  alliance: {
    list: gives<AllianceShort[]>()((c) => c.alliance.list()),
    get: gives<Alliance>()((c) => c.alliance.get(alliance)),
    tracking: gives<Tracking>()((c) => c.alliance.tracking(alliance)),
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
  },
  corporation: {
    list: gives<CorporationShort[]>()((c) => c.corporation.list()),
    get: gives<Corporation>()((c) => c.corporation.get(corporation)),
    tracking: gives<Tracking>()((c) => c.corporation.tracking(corporation)),
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
    list: gives<EventPage>()((c) => c.event.list({ query: { after: 12, types: 'group.*', wait: 25 } })),
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
  },
  system: {
    configuration: gives<Configuration>()((c) => c.system.configuration()),
    jobs: gives<Job[]>()((c) => c.system.jobs()),
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
    groups: gives<UserGroup[]>()((c) => c.user.groups({ params: { character: 'Ada Vale' } })),
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

export const refused = {
  // @ts-expect-error: a path parameter is missing.
  missing: (c: Castellan) => c.group.get(),
  // @ts-expect-error: ids of the game are numbers.
  text: (c: Castellan) => c.alliance.get({ params: { alliance_id: '99000001' } }),
  // @ts-expect-error: nothing of this name can be changed.
  unknown: (c: Castellan) => c.group.update({ ...group, body: { colour: 'red' } }),
  // @ts-expect-error: a scope that does not exist.
  scope: (c: Castellan) => c.alliance.update({ ...alliance, body: { mandatory_ext_scopes: ['mail'] } }),
  // @ts-expect-error: listings without pages have no page.
  page: (c: Castellan) => c.group.list({ query: { page: 2 } }),
};
