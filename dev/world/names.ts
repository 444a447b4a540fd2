import { permutation } from './random.ts';

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

const FEMALE = words(`
  Ada Brenna Cosima Dalia Elin Freya Greta Hanne Ilse Jorun Katja Leonie Maren Nadia Oriel Petra
  Quilla Runa Sanna Tamsin Ulrike Vesna Wanda Xenia Yrsa Zora Aveline Beatrix Celeste Dunja Esther
  Fiora Gudrun Helka Ingrid Jasmin Kerstin Linnea Mirja Noor`);
const MALE = words(`
  Anton Bertil Caspar Dorian Emil Fabian Gustav Henrik Ivo Joran Konrad Lasse Milan Nikolai Oskar
  Pavel Quentin Rurik Stellan Torben Ulf Viktor Wendel Xaver Yannis Zoltan Arvid Benedikt Cedric
  Dragan Eskil Florian Gideon Hagen Isak Jonas Karel Lukas Matti Noel`);
const FIRST_NAMES: readonly string[] = [...FEMALE, ...MALE];

const HEADS = words(
  "Al Bra Cor Dren Er Fal Gor Hal Is Jar Kel Lor Mac Nor O'Da Per Quo Ros Ste Thal Um Van Wes D'Ar",
);
const MIDDLES = words('a an ber cha den e for ga hel i ka lin mo ne ra vi');
const TAILS = words('ard berg croft dell ez field gren hart ison kov lund mann nen quist sen wick');

const ADJECTIVES = words(`
  Amber Ashen Binary Brass Cobalt Crimson Distant Eastern Ember Faint Frozen Gilded Hollow Iron
  Ivory Jade Last Lunar Northern Obsidian Outer Pale Quiet Radiant Scarlet Silent Stellar Umbral
  Velvet Wandering`);
const NOUNS = words(`
  Anvil Beacon Comet Dawn Drift Echo Falcon Forge Gale Harbor Horizon Javelin Lantern Lynx
  Meridian Nebula Orbit Osprey Pillar Quarry Raven Spire Sparrow Tempest Thorn Tide Vector Warden
  Willow Zenith`);
const CORPORATION_FORMS = words(
  'Corporation Holdings Industries Logistics Expeditions Trading Syndicate Works',
);
const ALLIANCE_FORMS = words('Accord Compact Concord League Pact Union');

const SURNAMES: readonly string[] = [
  ...new Set(HEADS.flatMap((head) => MIDDLES.flatMap((middle) => TAILS.map((tail) => head + middle + tail)))),
];

/** How many distinct character names there are: the upper bound of a world's population. */
export const CHARACTER_NAMES: number = FIRST_NAMES.length * SURNAMES.length;
const PAIRS = ADJECTIVES.length * NOUNS.length;
/** How many distinct corporation names there are. */
export const CORPORATION_NAMES: number = PAIRS * CORPORATION_FORMS.length;
/** How many distinct alliance names there are. */
export const ALLIANCE_NAMES: number = PAIRS * ALLIANCE_FORMS.length;

/** Names by index, unique within their kind and computed on demand. */
export interface Names {
  character(index: number): { readonly name: string; readonly gender: 'female' | 'male' };
  corporation(index: number): string;
  alliance(index: number): string;
}

/** The names of one seed. */
export function createNames(seed: number): Names {
  const people = permutation(CHARACTER_NAMES, seed);
  const corporations = permutation(CORPORATION_NAMES, seed + 1);
  const alliances = permutation(ALLIANCE_NAMES, seed + 2);
  return {
    character(index) {
      const n = people(index);
      const first = n % FIRST_NAMES.length;
      const name = `${FIRST_NAMES[first]} ${SURNAMES[Math.floor(n / FIRST_NAMES.length)]}`;
      return { name, gender: first < FEMALE.length ? 'female' : 'male' };
    },
    corporation: (index) => compose(corporations(index), CORPORATION_FORMS),
    alliance: (index) => `The ${compose(alliances(index), ALLIANCE_FORMS)}`,
  };
}

/** A ticker of at most five characters for a name, unlike every one in `taken`, to which it is added. */
export function takeTicker(name: string, taken: Set<string>): string {
  const letters = name
    .replace(/^The /, '')
    .toUpperCase()
    .replace(/[^A-Z ]/g, '');
  const initials = letters
    .split(' ')
    .map((word) => word.slice(0, 1))
    .join('');
  const candidates = [initials, letters.slice(0, 4).trim(), `${initials}.`];
  for (let n = 0; n < 1296; n++) candidates.push(initials.slice(0, 3) + n.toString(36).toUpperCase());
  const ticker = candidates.find((candidate) => !taken.has(candidate));
  if (ticker === undefined) throw new RangeError('Out of tickers: ask for fewer corporations');
  taken.add(ticker);
  return ticker;
}

function compose(n: number, forms: readonly string[]): string {
  const adjective = ADJECTIVES[n % ADJECTIVES.length];
  const noun = NOUNS[Math.floor(n / ADJECTIVES.length) % NOUNS.length];
  return `${adjective} ${noun} ${forms[Math.floor(n / PAIRS)]}`;
}
