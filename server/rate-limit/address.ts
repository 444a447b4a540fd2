import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `203.0.113.7:49152` and `[2001:db8::1]:443`, as some proxies forward them. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/i;

/** Normalises an address, an IPv4-mapped IPv6 address to IPv4; undefined when it is not an address. */
export function usualForm(text: string | undefined): string | undefined {
  if (text === undefined || isIPv4(text)) return text;
  const [, six, four] = WITH_PORT.exec(text) ?? [];
  const bare = six ?? four ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}

/**
 * The key that requests from an address are counted by: an IPv4 address itself, of IPv6 the /64 network, the smallest
 * that a customer gets (D60).
 */
export function countedAs(address: string): string {
  if (isIPv4(address) || !ipaddr.IPv6.isValid(address)) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
