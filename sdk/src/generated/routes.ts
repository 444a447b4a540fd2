// Written by `npm run generate` from the contract; changes here are lost.

/**
 * What the client must know of each operation to call it: method, path, names of query parameters, and marks.
 * `:name` stands for a path parameter, `:name*` for one that may hold slashes. Marks: b takes a JSON body, j a
 * success holds JSON, p has pages (by the request header `page`), u is called without a token, and its redirect
 * handed back.
 */
export const routes = {
  alliance: {
    list: 'GET /alliance j',
    get: 'GET /alliance/:alliance_id j',
    tracking: 'GET /alliance/:alliance_id/tracking j',
    register: 'POST /alliance/:alliance_id j',
    update: 'PUT /alliance/:alliance_id bjd',
  },
  audit: {
    list: 'GET /audit?actor&target&type&since&until&limit&after j',
  },
  callback: {
    ext: 'GET /callback/ext?code&state&error&error_description u',
  },
  coalition: {
    list: 'GET /coalition j',
    get: 'GET /coalition/:coalition_id j',
    create: 'POST /coalition bj',
    update: 'PUT /coalition/:coalition_id bjd',
    delete: 'DELETE /coalition/:coalition_id d',
    tracking: 'GET /coalition/:coalition_id/tracking j',
  },
  corporation: {
    list: 'GET /corporation j',
    get: 'GET /corporation/:corporation_id j',
    tracking: 'GET /corporation/:corporation_id/tracking j',
    register: 'POST /corporation/:corporation_id j',
    update: 'PUT /corporation/:corporation_id bjd',
    listGuests: 'GET /corporation/:corporation_id/guest j',
    createGuestCode: 'POST /corporation/:corporation_id/guest j',
    deleteGuest: 'DELETE /corporation/:corporation_id/guest/:character_id d',
  },
  crash: {
    list: 'GET /crash j',
    get: 'GET /crash/:crash_report_id j',
    delete: 'DELETE /crash/:crash_report_id',
  },
  event: {
    list: 'GET /event?after&types&limit&wait j',
  },
  ext: {
    forward: 'POST /ext/:esi_path* bj',
    forwardGet: 'GET /ext/:esi_path*?all_pages&id_annotations&on_behalf_of&params j',
  },
  group: {
    list: 'GET /group j',
    get: 'GET /group/:group_id j',
    create: 'POST /group bj',
    update: 'PUT /group/:group_id bjd',
    delete: 'DELETE /group/:group_id d',
  },
  history: {
    locations: 'GET /ext/history/characters/:character_id/location jp',
    mails: 'GET /ext/history/characters/:character_id/mail jp',
    mail: 'GET /ext/history/characters/:character_id/mail/:mail_id j',
    skillPoints: 'GET /ext/history/characters/:character_id/skillpoints jp',
    wallet: 'GET /ext/history/characters/:character_id/wallet jp',
    storeLocation: 'POST /ext/history/characters/:character_id/location/now j',
  },
  oidc: {
    listClients: 'GET /oidc/client j',
    getClient: 'GET /oidc/client/:client_id j',
    createClient: 'POST /oidc/client bj',
    updateClient: 'PUT /oidc/client/:client_id bj',
    deleteClient: 'DELETE /oidc/client/:client_id',
    renewSecret: 'POST /oidc/client/:client_id/secret j',
  },
  system: {
    configuration: 'GET /system/configuration j',
    jobs: 'GET /system/job j',
    runJob: 'POST /system/job/:job_id?force&dry_run j',
  },
  token: {
    current: 'GET /token j',
    delete: 'DELETE /token?uuid',
    createDynamic: 'POST /token/dyn bj',
    createPermanent: 'POST /token/per bj',
    startLogin: 'POST /token/use/from/dyn bj',
    createUserToken: 'POST /token/use/from/per j',
    logout: 'DELETE /token/current',
  },
  user: {
    list: 'GET /user?search&corporation_id&alliance_id&coalition_id&group_id&min_level&limit&after j',
    get: 'GET /user/:character_name j',
    groups: 'GET /user/:character/groups j',
    why: 'GET /user/:character/why?about j',
    update: 'PUT /user/:character_id bjd',
    delete: 'DELETE /user/:character_id d',
  },
  voice: {
    start: 'POST /voice/auth/start j',
    complete: 'POST /voice/auth/complete',
  },
} as const;
