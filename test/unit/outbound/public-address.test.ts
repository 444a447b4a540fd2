import dns, { type LookupAddress } from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ForbiddenAddress,
  hostOf,
  isPublicAddress,
  publicLookup,
  requirePublicHost,
} from '../../../server/outbound/public-address.ts';
import { callbackUrl } from '../../../server/sign-in/call-application.ts';

/** The next answers of DNS; several ones are a name whose address changes. */
let answers: (LookupAddress[] | Error)[] = [];

function next(): LookupAddress[] {
  const answer = answers.shift() ?? new Error('the name service was asked once too often');
  if (answer instanceof Error) throw answer;
  return answer;
}

beforeAll(() => {
  const { prototype } = dns.promises.Resolver;
  let answer: LookupAddress[] = [];
  const of = (wanted: number) =>
    answer.filter(({ family }) => family === wanted).map(({ address }) => address);
  vi.spyOn(prototype, 'resolve4').mockImplementation((async () => {
    answer = [];
    answer = next();
    return of(4);
  }) as never);
  vi.spyOn(prototype, 'resolve6').mockImplementation((async () => of(6)) as never);
});
afterAll(() => vi.restoreAllMocks());

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });

/** Calls publicLookup as a connection does. */
function look(options: object): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    publicLookup('app.example', options, (error, ...found) => {
      if (error === null) resolve(found);
      else reject(error);
    });
  });
}

beforeEach(() => {
  answers = [];
});

describe('D29: public addresses', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    // What DNS64 makes of public addresses.
    '64:ff9b::8.8.8.8',
    '64:ff9b::101:101',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ...[
      '127.0.0.1',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.0',
      '100.127.255.255',
    ],
    ...['0.0.0.0', '0.1.2.3', '255.255.255.255', '224.0.0.1', '239.255.255.250', '240.0.0.1'],
    ...[
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '198.18.0.1',
      '198.19.255.255',
      '192.0.0.1',
      '192.88.99.1',
    ],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'fc00::1',
      'fdff::1',
      'ff02::1',
      'ff0e::1',
      '2001:db8::1',
      '3fff::1',
      '2001:2::1',
      '100::1',
    ],
    // Metadata services of clouds: Tencent, Azure, Alibaba, Oracle, and AWS and Google in IPv6.
    ...[
      '169.254.0.23',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      'fd00:ec2::254',
      'fd20:ce::254',
      '::ffff:168.63.129.16',
    ],
    // IPv4 within IPv6: mapped, compatible, translated, NAT64 by the well-known prefix and by local ones, 6to4, Teredo.
    ...[
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::7f00:1',
      '4000::1',
      '::ffff:0:127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b::10.0.0.1',
      '64:ff9b::168.63.129.16',
      '64:ff9b::',
      '64:ff9b::1:808:808',
      '64:ff9b:1::1',
      '64:ff9b:1::808:808',
      '2002:7f00:1::',
      '2002:a00:1::1',
      '2001:0:1::',
      '2001:0:a00:1::5601:5601',
    ],
    ...['', 'localhost', '999.1.1.1'],
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('D29: names', () => {
  it('one non-public address is enough to refuse', async () => {
    answers = [[v4('8.8.8.8'), v6('::ffff:10.0.0.1')]];
    await expect(requirePublicHost('https://app.example/in')).rejects.toThrow(ForbiddenAddress);
    answers = [[v4('8.8.8.8'), v6('2606:4700::1111')]];
    await requirePublicHost('https://app.example/in');
  });

  it('the connection uses the addresses that were checked, with one look-up', async () => {
    const found = [v4('8.8.8.8'), v6('2606:4700::1111')];
    answers = [found];
    expect(await look({ all: true })).toEqual([found]);
    answers = [found];
    expect(await look({})).toEqual(['8.8.8.8', 4]);
  });

  it('a name that was public when the token was made and is not when the call is made is refused', async () => {
    answers = [[v4('8.8.8.8')], [v4('127.0.0.1')]];
    await requirePublicHost('https://app.example/in');
    await expect(look({ all: true })).rejects.toThrow(ForbiddenAddress);
  });

  it.each([{ all: true }, {}])(
    'one private address among several refuses the connection: %o',
    async (options) => {
      answers = [[v4('8.8.8.8'), v4('192.168.0.1')]];
      await expect(look(options)).rejects.toThrow(ForbiddenAddress);
    },
  );

  it("is queried once for all concurrent look-ups of a name, without the system's few lookup threads", async () => {
    const found = [v4('8.8.8.8')];
    answers = [found];
    expect(await Promise.all([look({ all: true }), look({}), look({ all: true })])).toEqual([
      [found],
      ['8.8.8.8', 4],
      [found],
    ]);
  });

  it.each(['localhost', 'LOCALHOST.', 'app.localhost'])(
    '%s is this machine, whatever the DNS says',
    async (name) => {
      await expect(requirePublicHost(`https://${name}/in`)).rejects.toThrow(ForbiddenAddress);
    },
  );

  it('no address, or no answer, is an error', async () => {
    answers = [[]];
    await expect(look({ all: true })).rejects.toThrow('no address');
    answers = [new Error('ENOTFOUND')];
    await expect(look({ all: true })).rejects.toThrow('ENOTFOUND');
  });
});

describe('D26: the callback URL with its parameters', () => {
  it.each([
    ['https://app.example', 'https://app.example?state_code=s&user_token=t'],
    ['https://app.example/in', 'https://app.example/in?state_code=s&user_token=t'],
    ['https://app.example/in?', 'https://app.example/in?&state_code=s&user_token=t'],
    ["https://app.example/in?a=%20&b='c'", "https://app.example/in?a=%20&b='c'&state_code=s&user_token=t"],
    [
      'https://bücher.example/ü?ü=1',
      'https://xn--bcher-kva.example/%C3%BC?%C3%BC=1&state_code=s&user_token=t',
    ],
  ])('%s', (callback, expected) => expect(callbackUrl(callback, 's', 't')).toBe(expected));

  it('parameters are encoded', () => {
    expect(callbackUrl('https://app.example/', 'a&b=c', 't #')).toBe(
      'https://app.example/?state_code=a%26b%3Dc&user_token=t+%23',
    );
  });

  it('the host of an IPv6 address has no brackets', () => {
    expect(hostOf('http://[::1]:8080/in')).toBe('::1');
    expect(hostOf('http://app.example:8080/in')).toBe('app.example');
  });
});
