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
    update: 'PUT /alliance/:alliance_id bj',
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
    update: 'PUT /coalition/:coalition_id bj',
    delete: 'DELETE /coalition/:coalition_id',
    tracking: 'GET /coalition/:coalition_id/tracking j',
  },
  corporation: {
    list: 'GET /corporation j',
    get: 'GET /corporation/:corporation_id j',
    tracking: 'GET /corporation/:corporation_id/tracking j',
    register: 'POST /corporation/:corporation_id j',
    update: 'PUT /corporation/:corporation_id bj',
    listGuests: 'GET /corporation/:corporation_id/guest j',
    createGuestCode: 'POST /corporation/:corporation_id/guest j',
    deleteGuest: 'DELETE /corporation/:corporation_id/guest/:character_id',
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
    update: 'PUT /group/:group_id bj',
    delete: 'DELETE /group/:group_id',
  },
  history: {
    locations: 'GET /ext/history/characters/:character_id/location jp',
    mails: 'GET /ext/history/characters/:character_id/mail jp',
    mail: 'GET /ext/history/characters/:character_id/mail/:mail_id j',
    skillPoints: 'GET /ext/history/characters/:character_id/skillpoints jp',
    wallet: 'GET /ext/history/characters/:character_id/wallet jp',
    storeLocation: 'POST /ext/history/characters/:character_id/location/now j',
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
    update: 'PUT /user/:character_id bj',
    delete: 'DELETE /user/:character_id',
  },
  voice: {
    start: 'POST /voice/auth/start j',
    complete: 'POST /voice/auth/complete',
  },
  webhook: {
    list: 'GET /webhook j',
    get: 'GET /webhook/:webhook_id j',
    create: 'POST /webhook bj',
    update: 'PUT /webhook/:webhook_id bj',
    delete: 'DELETE /webhook/:webhook_id',
    rotate: 'POST /webhook/:webhook_id/rotate j',
    test: 'POST /webhook/:webhook_id/test j',
    listDeliveries: 'GET /webhook/:webhook_id/delivery?state&limit&after j',
    retry: 'POST /webhook/:webhook_id/delivery/:delivery_id/retry j',
    replay: 'POST /webhook/:webhook_id/replay bj',
  },
} as const;
