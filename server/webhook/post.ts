import { callOut, faultOf } from '../outbound/call.ts';
import type { Services } from '../services/services.ts';
import { signaturesOf } from './secret.ts';
import type { Outcome } from './settle.ts';
import type { Destination, Parcel } from './take.ts';

/** Timeout of one try in milliseconds, connecting included. */
export const TIME_LIMIT = 10_000;
/** Maximum pause in milliseconds that `Retry-After` can ask for. */
const LONGEST_PAUSE = 24 * 3_600_000;

/** Makes one try; failures are outcomes too, never exceptions. */
export async function post(
  { clock, settings }: Pick<Services, 'clock' | 'settings'>,
  { url, secrets }: Destination,
  parcel: Parcel,
  signal: AbortSignal,
): Promise<Outcome> {
  const on = clock.now();
  const id = parcel.delivery_id;
  const timestamp = Math.floor(on.getTime() / 1000);
  try {
    const { status, retryAfter } = await callOut(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signaturesOf(secrets, { id, timestamp, body: parcel.body }),
      },
      body: parcel.body,
      allowPrivate: settings.callbackAllowPrivate,
      signal,
    });
    return { parcel, url, on, status, fault: null, retryAfter: pauseOf(retryAfter, clock.now()) };
  } catch (error) {
    return { parcel, url, on, status: null, fault: faultOf(error), retryAfter: undefined };
  }
}

/** `Retry-After`, in seconds or as a date, as milliseconds; undefined when absent or past. */
export function pauseOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const pause = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return pause > 0 ? Math.min(pause, LONGEST_PAUSE) : undefined;
}
