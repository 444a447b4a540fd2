import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A URL that somebody gave leads to an address that must not be called (D29). */
export class ForbiddenAddress extends Error {
  constructor() {
    super('The URL leads to an address that is not public.');
    this.name = 'ForbiddenAddress';
  }
}

/** Of IPv6 only 2000::/3 is given out; below it lie forms that hold an IPv4 address. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Public by its number, and yet answered by the machine's own host: the platform services of Azure. Those of other
 * clouds, metadata with credentials among them, have addresses in special ranges.
 */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Only plain public addresses: not loopback, link-local, private, shared, unique-local, multicast, reserved, for
 * documentation or benchmarks, of a cloud's own services, nor an IPv6 form that holds an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    if (parsed.range() !== 'unicast') return false;
    return parsed instanceof ipaddr.IPv4
      ? parsed.toString() !== AZURE_PLATFORM
      : parsed.match(GLOBAL_UNICAST);
  } catch {
    return false;
  }
}

/** Throws {@link ForbiddenAddress} when a host is, or resolves to, anything but public addresses. */
export async function requirePublicHost(url: string): Promise<void> {
  const host = hostOf(url);
  // A name that does not resolve now may do so later; the call itself checks again.
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (!addresses.every(isPublicAddress)) throw new ForbiddenAddress();
}

async function resolve(host: string): Promise<string[]> {
  const found = await addressesOf(host).catch(() => []);
  return found.map(({ address }) => address);
}

/**
 * Milliseconds and tries until a name counts as unknown. The system's own lookup has no such limit, and holds one of the
 * few threads that everybody's lookups share: a name whose server keeps silent would be everybody's trouble.
 */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
const underWay = new Map<string, Promise<LookupAddress[]>>();

/** What the DNS says of a name, asked once for all who wait for it. */
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
 * A lookup for the connection itself, so that the address connected to is the one that was checked: a name
 * that changes its address between check and call gains nothing.
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
