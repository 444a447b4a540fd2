import { eventsArrive } from './events-arrive.ts';
import { extScopes } from './ext-scopes.ts';
import { keepDecidedApplication } from './keep-decided-application.ts';
import { nameParts } from './name-parts.ts';
import { providerCacheRotate } from './provider-cache-rotate.ts';
import { providerReserve } from './provider-reserve-errors-and-bucket.ts';
import { providerSettle } from './provider-settle-errors-and-bucket.ts';
import { providerSweep } from './provider-sweep.ts';
import { refuseChange } from './refuse-change.ts';
import { revision } from './revision.ts';
import { sealEvents } from './seal-events.ts';
import { takePlace } from './take-place.ts';

/** Database functions as `create or replace` statements, by name, in the order in which they are applied. */
export interface FunctionSet {
  /**
   * Raised with every change, so that a process of a former release that is started again does not overwrite later
   * functions.
   */
  readonly revision: number;
  readonly definitions: Readonly<Record<string, string>>;
}

/**
 * The functions of this release. Edit them in place as long as parameters and result stay the same, because processes
 * of the former release call them during an update. For other parameters add a new function; a later migration drops
 * the former one.
 */
export const functions: FunctionSet = {
  revision: revision.number,
  definitions: {
    events_arrive: eventsArrive,
    ext_scopes: extScopes,
    keep_decided_application: keepDecidedApplication,
    name_parts: nameParts,
    provider_cache_rotate: providerCacheRotate,
    provider_reserve: providerReserve,
    provider_settle: providerSettle,
    provider_sweep: providerSweep,
    refuse_change: refuseChange,
    seal_events: sealEvents,
    take_place: takePlace,
  },
};
