// Written by `npm run generate` from the contract; changes here are lost.

/**
 * What the client must know of each operation to call it: method, path, and marks.
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
    compliance: 'GET /alliance/:alliance_id/compliance j',
    complianceDays: 'GET /alliance/:alliance_id/compliance/day j',
  },
  application: {
    list: 'GET /application j',
    decide: 'PUT /application/:application_id bj',
    withdraw: 'DELETE /application/:application_id',
  },
  audit: {
    list: 'GET /audit j',
  },
  callback: {
    ext: 'GET /callback/ext u',
  },
  coalition: {
    list: 'GET /coalition j',
    get: 'GET /coalition/:coalition_id j',
    create: 'POST /coalition bj',
    update: 'PUT /coalition/:coalition_id bjd',
    delete: 'DELETE /coalition/:coalition_id d',
    tracking: 'GET /coalition/:coalition_id/tracking j',
    compliance: 'GET /coalition/:coalition_id/compliance j',
    complianceDays: 'GET /coalition/:coalition_id/compliance/day j',
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
    compliance: 'GET /corporation/:corporation_id/compliance j',
    complianceDays: 'GET /corporation/:corporation_id/compliance/day j',
  },
  crash: {
    list: 'GET /crash j',
    get: 'GET /crash/:crash_report_id j',
    delete: 'DELETE /crash/:crash_report_id',
  },
  event: {
    list: 'GET /event j',
  },
  ext: {
    forward: 'POST /ext/:esi_path* bj',
    forwardGet: 'GET /ext/:esi_path* j',
  },
  group: {
    list: 'GET /group j',
    joinable: 'GET /group/joinable j',
    get: 'GET /group/:group_id j',
    create: 'POST /group bj',
    update: 'PUT /group/:group_id bjd',
    delete: 'DELETE /group/:group_id d',
    policy: 'GET /group/:group_id/policy j',
    setPolicy: 'PUT /group/:group_id/policy bjd',
    apply: 'POST /group/:group_id/application bj',
    applications: 'GET /group/:group_id/application j',
    leave: 'DELETE /group/:group_id/member/current',
  },
  history: {
    locations: 'GET /ext/history/characters/:character_id/location jp',
    mails: 'GET /ext/history/characters/:character_id/mail jp',
    mail: 'GET /ext/history/characters/:character_id/mail/:mail_id j',
    skillPoints: 'GET /ext/history/characters/:character_id/skillpoints jp',
    wallet: 'GET /ext/history/characters/:character_id/wallet jp',
    storeLocation: 'POST /ext/history/characters/:character_id/location/now j',
  },
  person: {
    current: 'GET /person/current j',
    link: 'POST /person/current/character bj',
    unlink: 'DELETE /person/current/character/:character_id j',
    update: 'PUT /person/current bj',
    merge: 'POST /person/:person_id/merge bj',
    split: 'POST /person/:person_id/split bj',
    history: 'GET /person/:person_id/history j',
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
    status: 'GET /system/status j',
    configuration: 'GET /system/configuration j',
    jobs: 'GET /system/job j',
    runJob: 'POST /system/job/:job_id j',
  },
  token: {
    current: 'GET /token j',
    delete: 'DELETE /token',
    createDynamic: 'POST /token/dyn bj',
    createPermanent: 'POST /token/per bj',
    startLogin: 'POST /token/use/from/dyn bj',
    createUserToken: 'POST /token/use/from/per j',
    logout: 'DELETE /token/current',
  },
  user: {
    list: 'GET /user j',
    get: 'GET /user/:character_name j',
    groups: 'GET /user/:character/groups j',
    why: 'GET /user/:character/why j',
    update: 'PUT /user/:character_id bjd',
    delete: 'DELETE /user/:character_id d',
    person: 'GET /user/:character/person j',
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
    listDeliveries: 'GET /webhook/:webhook_id/delivery j',
    retry: 'POST /webhook/:webhook_id/delivery/:delivery_id/retry j',
    replay: 'POST /webhook/:webhook_id/replay bj',
  },
} as const;
