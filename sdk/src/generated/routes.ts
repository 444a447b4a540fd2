// Written by `npm run generate` from the contract; changes here are lost.

/** What the client must know of an operation to call it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for a path parameter, `:name*` for one that may hold slashes. */
  readonly path: string;
  /** Names of the query parameters. */
  readonly query?: readonly string[];
  /** Takes a JSON body. */
  readonly body?: true;
  /** What a success holds. */
  readonly answer: 'json' | 'none';
  /** Is called without a token, and its redirect is handed back instead of followed. */
  readonly public?: true;
}

export const routes = {
  alliance: {
    list: { method: 'GET', path: '/alliance', answer: 'json' },
    get: { method: 'GET', path: '/alliance/:alliance_id', answer: 'json' },
    tracking: { method: 'GET', path: '/alliance/:alliance_id/tracking', answer: 'json' },
    register: { method: 'POST', path: '/alliance/:alliance_id', answer: 'json' },
    update: { method: 'PUT', path: '/alliance/:alliance_id', body: true, answer: 'json' },
  },
  callback: {
    ext: { method: 'GET', path: '/callback/ext', query: ['code', 'state', 'error', 'error_description'], answer: 'none', public: true },
  },
  coalition: {
    list: { method: 'GET', path: '/coalition', answer: 'json' },
    get: { method: 'GET', path: '/coalition/:coalition_id', answer: 'json' },
    create: { method: 'POST', path: '/coalition', body: true, answer: 'json' },
    update: { method: 'PUT', path: '/coalition/:coalition_id', body: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/coalition/:coalition_id', answer: 'none' },
    tracking: { method: 'GET', path: '/coalition/:coalition_id/tracking', answer: 'json' },
  },
  corporation: {
    list: { method: 'GET', path: '/corporation', answer: 'json' },
    get: { method: 'GET', path: '/corporation/:corporation_id', answer: 'json' },
    tracking: { method: 'GET', path: '/corporation/:corporation_id/tracking', answer: 'json' },
    register: { method: 'POST', path: '/corporation/:corporation_id', answer: 'json' },
    update: { method: 'PUT', path: '/corporation/:corporation_id', body: true, answer: 'json' },
    listGuests: { method: 'GET', path: '/corporation/:corporation_id/guest', answer: 'json' },
    createGuestCode: { method: 'POST', path: '/corporation/:corporation_id/guest', answer: 'json' },
    deleteGuest: { method: 'DELETE', path: '/corporation/:corporation_id/guest/:character_id', answer: 'none' },
  },
  crash: {
    list: { method: 'GET', path: '/crash', answer: 'json' },
    get: { method: 'GET', path: '/crash/:crash_report_id', answer: 'json' },
    delete: { method: 'DELETE', path: '/crash/:crash_report_id', answer: 'none' },
  },
  ext: {
    forward: { method: 'POST', path: '/ext/:esi_path*', body: true, answer: 'json' },
    forwardGet: { method: 'GET', path: '/ext/:esi_path*', query: ['all_pages', 'id_annotations', 'on_behalf_of', 'params'], answer: 'json' },
    locations: { method: 'GET', path: '/ext/history/characters/:character_id/location', answer: 'json' },
    mails: { method: 'GET', path: '/ext/history/characters/:character_id/mail', answer: 'json' },
    mail: { method: 'GET', path: '/ext/history/characters/:character_id/mail/:mail_id', answer: 'json' },
    skillPoints: { method: 'GET', path: '/ext/history/characters/:character_id/skillpoints', answer: 'json' },
    wallet: { method: 'GET', path: '/ext/history/characters/:character_id/wallet', answer: 'json' },
    storeLocation: { method: 'POST', path: '/ext/history/characters/:character_id/location/now', answer: 'json' },
  },
  group: {
    list: { method: 'GET', path: '/group', answer: 'json' },
    get: { method: 'GET', path: '/group/:group_id', answer: 'json' },
    create: { method: 'POST', path: '/group', body: true, answer: 'json' },
    update: { method: 'PUT', path: '/group/:group_id', body: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/group/:group_id', answer: 'none' },
  },
  system: {
    configuration: { method: 'GET', path: '/system/configuration', answer: 'json' },
    jobs: { method: 'GET', path: '/system/job', answer: 'json' },
    runJob: { method: 'POST', path: '/system/job/:job_id', query: ['force', 'dry_run'], answer: 'json' },
  },
  token: {
    current: { method: 'GET', path: '/token', answer: 'json' },
    delete: { method: 'DELETE', path: '/token', query: ['uuid'], answer: 'none' },
    createDynamic: { method: 'POST', path: '/token/dyn', body: true, answer: 'json' },
    createPermanent: { method: 'POST', path: '/token/per', body: true, answer: 'json' },
    startLogin: { method: 'POST', path: '/token/use/from/dyn', body: true, answer: 'json' },
    createUserToken: { method: 'POST', path: '/token/use/from/per', answer: 'json' },
    logout: { method: 'DELETE', path: '/token/current', answer: 'none' },
  },
  user: {
    list: { method: 'GET', path: '/user', answer: 'json' },
    get: { method: 'GET', path: '/user/:character_name', answer: 'json' },
    update: { method: 'PUT', path: '/user/:character_id', body: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/user/:character_id', answer: 'none' },
  },
  voice: {
    start: { method: 'POST', path: '/voice/auth/start', answer: 'json' },
    complete: { method: 'POST', path: '/voice/auth/complete', answer: 'none' },
  },
} as const satisfies Record<string, Record<string, Route>>;
