// Written by `npm run generate` from the contract; changes here are lost.

/**
 * What the client must know of each operation to call it: for each resource the path that its operations have in
 * common, then for each operation its name, its method (`+` POST, `=` PUT, `-` DELETE, else GET), the rest of its
 * path, and marks. `:` stands for the path parameter that bears the resource's name and `_id`, `:name` for another
 * one, `:name*` for one that may hold slashes. Marks: `?` can be tried beforehand, `.` its success holds nothing,
 * `!` is called without a token, and its redirect handed back. Read by ../routes.ts.
 */
export const routes = {
  alliance: '/alliance list get/: tracking/:/tracking register+/: update=/:? compliance/:/compliance complianceDays/:/compliance/day',
  application: '/application list decide=/: withdraw-/:.',
  audit: '/audit list',
  callback: '/callback/ext ext!',
  coalition: '/coalition list get/: create+ update=/:? delete-/:?. tracking/:/tracking compliance/:/compliance complianceDays/:/compliance/day',
  corporation: '/corporation list get/: tracking/:/tracking register+/: update=/:? listGuests/:/guest createGuestCode+/:/guest deleteGuest-/:/guest/:character_id?. compliance/:/compliance complianceDays/:/compliance/day',
  crash: '/crash list get/:crash_report_id delete-/:crash_report_id.',
  event: '/event list',
  ext: '/ext/:esi_path* forward+ forwardGet',
  group: '/group list joinable/joinable get/: create+ update=/:? delete-/:?. policy/:/policy setPolicy=/:/policy? apply+/:/application applications/:/application leave-/:/member/current.',
  history: '/ext/history/characters/:character_id locations/location mails/mail mail/mail/:mail_id skillPoints/skillpoints wallet/wallet storeLocation+/location/now',
  person: '/person current/current link+/current/character unlink-/current/character/:character_id update=/current merge+/:/merge split+/:/split history/:/history',
  oidc: '/oidc/client listClients getClient/:client_id createClient+ updateClient=/:client_id deleteClient-/:client_id. renewSecret+/:client_id/secret',
  system: '/system status/status configuration/configuration jobs/job held/held runJob+/job/:job_id',
  token: '/token current delete-. createDynamic+/dyn createPermanent+/per startLogin+/use/from/dyn createUserToken+/use/from/per logout-/current.',
  user: '/user list get/:character_name groups/:character/groups why/:character/why update=/:character_id? delete-/:character_id?. person/:character/person',
  voice: '/voice/auth start+/start complete+/complete.',
  webhook: '/webhook list get/: create+ update=/: delete-/:. rotate+/:/rotate test+/:/test listDeliveries/:/delivery retry+/:/delivery/:delivery_id/retry replay+/:/replay',
};

/** The operations that read. */
export interface Reads {
  alliance: 'list' | 'get' | 'tracking' | 'compliance' | 'complianceDays';
  application: 'list';
  audit: 'list';
  callback: 'ext';
  coalition: 'list' | 'get' | 'tracking' | 'compliance' | 'complianceDays';
  corporation: 'list' | 'get' | 'tracking' | 'listGuests' | 'compliance' | 'complianceDays';
  crash: 'list' | 'get';
  event: 'list';
  ext: 'forwardGet';
  group: 'list' | 'joinable' | 'get' | 'policy' | 'applications';
  history: 'locations' | 'mails' | 'mail' | 'skillPoints' | 'wallet';
  person: 'current' | 'history';
  oidc: 'listClients' | 'getClient';
  system: 'status' | 'configuration' | 'jobs' | 'held';
  token: 'current';
  user: 'list' | 'get' | 'groups' | 'why' | 'person';
  webhook: 'list' | 'get' | 'listDeliveries';
}

/** Those that have pages, asked for by the request header `page`. */
export interface Paged {
  history: 'locations' | 'mails' | 'skillPoints' | 'wallet';
}

/** Those whose pages each name the next one: what to ask for by `after`. */
export interface Linked {
  application: 'list';
  audit: 'list';
  event: 'list';
  group: 'applications';
  user: 'list';
  webhook: 'listDeliveries';
}
