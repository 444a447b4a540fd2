import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../shared/domain-error.ts';

/** A configured URL leads to an address that must not be called (D29). */
export class ForbiddenAddress extends Error {
  constructor() {
    super('The URL leads to an address that is not public.');
    this.name = 'ForbiddenAddress';
  }
}

/** The global unicast range. All other IPv6 ranges are special, and those below embed IPv4 addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The prefix by which networks of IPv6 alone reach IPv4 (RFC 6052): who connects to such an address is connected to the
 * IPv4 address in its last 32 bits. Other prefixes of translators are local to a network, and not known here.
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Azure's platform services, which have a public address but are served by the virtual machine's own host. The metadata
 * services of other clouds are in special ranges.
 */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an address is public: not loopback, link-local, private, shared, unique-local, multicast, reserved, for
 * documentation or benchmarks, of a cloud's platform services, nor an IPv6 form that embeds an IPv4 address, but for
 * those that {@link NAT64} makes of public ones.
 */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = reached(ipaddr.process(address));
    if (parsed.range() !== 'unicast') return false;
    return parsed instanceof ipaddr.IPv4
      ? parsed.toString() !== AZURE_PLATFORM
      : parsed.match(GLOBAL_UNICAST);
  } catch {
    return false;
  }
}

/** The address that a connection to this one ends at. */
function reached(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** Throws {@link ForbiddenAddress} unless a host is, or resolves to, public addresses only. */
export async function requirePublicHost(url: string): Promise<void> {
  const host = hostOf(url);
  // A name that does not resolve now is accepted, as it may resolve later; the call checks again.
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (!addresses.every(isPublicAddress)) throw new ForbiddenAddress();
}

/**
 * Refuses a URL in a field of the body that must not be called, unless private addresses are allowed (D29); the call
 * itself checks again.
 */
export async function requireCallable(url: string, field: string, allowPrivate: boolean): Promise<void> {
  if (allowPrivate) return;
  try {
    await requirePublicHost(url);
  } catch (error) {
    if (!(error instanceof ForbiddenAddress)) throw error;
    throw invalid(['body', field], error.message);
  }
}

async function resolve(host: string): Promise<string[]> {
  const found = await addressesOf(host).catch(() => []);
  return found.map(({ address }) => address);
}

/**
 * Timeout in milliseconds and tries of a DNS query. The system's own lookup has no timeout and blocks one of the few
 * threads of libuv's pool, so that one unresponsive name server could delay all lookups.
 */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
const underWay = new Map<string, Promise<LookupAddress[]>>();

/** DNS addresses of a name; concurrent callers share one query. */
function addressesOf(host: string): Promise<LookupAddress[]> {
  const known = underWay.get(host);
  if (known !== undefined) return known;
  const asked = askFor(host).finally(() => underWay.delete(host));
  underWay.set(host, asked);
  return asked;
}

async function askFor(host: string): Promise<LookupAddress[]> {
  if (/(^|\.)localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [four, six].flatMap((answer, n) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: n === 0 ? 4 : 6 }))
      : [],
  );
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/**
 * The `lookup` of the connection itself, so that the address connected to is the one that was checked (protects against
 * DNS rebinding).
 */
export function publicLookup(
  hostname: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
): void {
  addressesOf(hostname).then(
    (all) => {
      const addresses = all.filter(({ family }) => !options.family || family === Number(options.family));
      const [first] = addresses;
      if (first === undefined) return callback(new Error('no address'), '');
      if (!all.every(({ address }) => isPublicAddress(address))) return callback(new ForbiddenAddress(), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    (error: Error) => callback(error, ''),
  );
}
