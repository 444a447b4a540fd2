import { createHash } from 'node:crypto';
import {
  ALLIANCE_NAMES,
  CHARACTER_NAMES,
  CORPORATION_NAMES,
  createNames,
  type Names,
  takeTicker,
} from './names.ts';
import { hash, sequence } from './random.ts';

/** First ids of the generated ranges; the ids of one kind are consecutive. */
export const FIRST_CHARACTER_ID = 2_112_000_001;
export const FIRST_CORPORATION_ID = 98_000_001;
export const FIRST_ALLIANCE_ID = 99_000_001;
/** Corporation that deleted characters are shown in (provider.md §2). */
export const GRAVEYARD_ID = 1_000_001;
/** The game's own corporation, for characters without a player corporation. */
export const NPC_CORPORATION_ID = 1_000_006;
/** The moment at which `hour` is 0: every derived timestamp counts from here, so a seed fixes them too. */
export const EPOCH = Date.UTC(2026, 0, 1);

const NPC_MEMBERS = 3;
const NPC_SHARE = 0.03;
const YEAR = 365 * 86_400_000;

export interface Alliance {
  readonly id: number;
  readonly name: string;
  readonly ticker: string;
  readonly creatorId: number;
  readonly creatorCorporationId: number;
  /** null when no corporation leads it, as in a closed one. */
  readonly executorCorporationId: number | null;
  readonly foundedAt: Date;
}

export interface Corporation {
  readonly id: number;
  readonly name: string;
  readonly ticker: string;
  /** null when closed or owned by the game. */
  readonly ceoId: number | null;
  readonly creatorId: number;
  readonly allianceId: number | null;
  /** 0 to 1. */
  readonly taxRate: number;
  readonly foundedAt: Date;
  readonly closed: boolean;
  readonly npc: boolean;
}

export interface Character {
  readonly id: number;
  readonly name: string;
  readonly gender: 'female' | 'male';
  readonly corporationId: number;
  readonly allianceId: number | null;
  readonly isCeo: boolean;
  readonly deleted: boolean;
  readonly bornAt: Date;
  /** The sign-on's hash of the account behind the character: another one after {@link World.handOver}. */
  readonly owner: string;
}

export interface Recipient {
  readonly recipient_id: number;
  readonly recipient_type: 'alliance' | 'character' | 'corporation' | 'mailing_list';
}

export interface SentMail {
  readonly from: number;
  readonly recipients: readonly Recipient[];
  readonly subject: string;
  /** The game's markup: `<br>` for a line break, `<font>` and `<a>` around text. */
  readonly body: string;
  /** Value of {@link World.hour} when it was sent. */
  readonly hour: number;
}

export interface WorldOptions {
  readonly seed: number;
  readonly alliances: number;
  readonly corporations: number;
  readonly characters: number;
  /** How far back the mailboxes go, in rounds of six hours. */
  readonly mailRounds: number;
}

/**
 * The population: who belongs to whom. Names and dates are computed from ids; stored are only four bytes for
 * each character and what a test has changed. Equal options give equal worlds.
 */
export class World {
  readonly seed: number;
  readonly population: number;
  readonly mailRounds: number;
  /** Hours lived since {@link EPOCH}: raise it and everybody moves, trades, trains and gets new mail. */
  hour = 0;
  readonly sentMails: SentMail[] = [];
  /** What the page of the sign-on says of characters besides what the game knows. */
  readonly remarks = new Map<number, string>();

  readonly #names: Names;
  readonly #alliances = new Map<number, Alliance>();
  readonly #corporations = new Map<number, Corporation>();
  readonly #corporationOf: Uint32Array;
  readonly #renamed = new Map<number, string>();
  readonly #handovers = new Map<number, number>();
  /** Characters whose last hand-over left their refresh tokens alive. */
  readonly #livingOn = new Set<number>();
  readonly #deleted = new Set<number>();

  /** @throws RangeError when the numbers cannot make a world. */
  constructor(options: WorldOptions) {
    const { seed, alliances, corporations, characters } = options;
    requireWithin('alliances', alliances, 0, ALLIANCE_NAMES);
    requireWithin('corporations', corporations, alliances + 1, CORPORATION_NAMES);
    requireWithin('characters', characters, corporations + NPC_MEMBERS, CHARACTER_NAMES);
    this.seed = seed;
    this.population = characters;
    this.mailRounds = options.mailRounds;
    this.#names = createNames(seed);
    this.#corporationOf = new Uint32Array(characters);
    this.#found(alliances, corporations);
    this.#populate(corporations, characters);
  }

  get alliances(): readonly Alliance[] {
    return [...this.#alliances.values()];
  }

  /** Player corporations, then the game's own. */
  get corporations(): readonly Corporation[] {
    return [...this.#corporations.values()];
  }

  alliance(id: number): Alliance | undefined {
    return this.#alliances.get(id);
  }

  corporation(id: number): Corporation | undefined {
    return this.#corporations.get(id);
  }

  /** Also deleted characters, which then say so; undefined for an id that never was. */
  character(id: number): Character | undefined {
    const index = id - FIRST_CHARACTER_ID;
    const corporationId = this.#corporationOf[index];
    if (corporationId === undefined) return undefined;
    const corporation = this.#corporations.get(corporationId);
    const generated = this.#names.character(index);
    const { seed } = this;
    const handovers = this.#handovers.get(id) ?? 0;
    return {
      id,
      name: this.#renamed.get(id) ?? generated.name,
      gender: generated.gender,
      corporationId,
      allianceId: corporation?.allianceId ?? null,
      isCeo: corporation?.ceoId === id,
      deleted: this.#deleted.has(id),
      bornAt: new Date(EPOCH - (hash(this.seed, id, 3) % (10 * 365)) * 86_400_000),
      // Few ask for it, and it takes longer than all the rest.
      get owner() {
        return createHash('sha1').update(`${seed}:${id}:${handovers}`).digest('base64');
      },
    };
  }

  /** Ids of the living members, ascending. */
  membersOf(corporationId: number): number[] {
    const members: number[] = [];
    this.#corporationOf.forEach((id, index) => {
      if (id === corporationId) members.push(FIRST_CHARACTER_ID + index);
    });
    return corporationId === GRAVEYARD_ID ? [] : members;
  }

  /** Ids of the alliance's corporations, ascending. */
  corporationsOf(allianceId: number): number[] {
    return this.corporations.filter((c) => c.allianceId === allianceId).map((c) => c.id);
  }

  /** Living characters whose name contains the text (case ignored), at most `limit`, and how many there are. */
  search(text: string, limit: number): { readonly characters: Character[]; readonly total: number } {
    const wanted = text.trim().toLowerCase();
    const found: number[] = [];
    let total = 0;
    for (let index = 0; index < this.population; index++) {
      const id = FIRST_CHARACTER_ID + index;
      if (this.#deleted.has(id)) continue;
      const name = this.#renamed.get(id) ?? (wanted === '' ? '' : this.#names.character(index).name);
      if (!name.toLowerCase().includes(wanted)) continue;
      total++;
      if (found.length < limit) found.push(id);
    }
    return { characters: found.map((id) => this.#requireCharacter(id)), total };
  }

  moveCharacter(id: number, corporationId: number): void {
    this.#requireNotCeo(id);
    this.#requireCorporation(corporationId);
    this.#place(id, corporationId);
  }

  /**
   * Gives the character to another account: its owner hash changes, and its refresh tokens die, or `live on` and give
   * access tokens that name the new owner. Both have been seen.
   */
  handOver(id: number, refreshTokens: 'die' | 'live on' = 'die'): void {
    this.#requireCharacter(id);
    this.#handovers.set(id, (this.#handovers.get(id) ?? 0) + 1);
    if (refreshTokens === 'live on') this.#livingOn.add(id);
    else this.#livingOn.delete(id);
  }

  /** Whether a refresh token that was given to this owner is alive while the character belongs to whoever it does now. */
  honorsRefreshTokens({ id, owner }: Character, givenTo: string): boolean {
    return owner === givenTo || this.#livingOn.has(id);
  }

  renameCharacter(id: number, name: string): void {
    this.#requireCharacter(id);
    this.#renamed.set(id, name);
  }

  deleteCharacter(id: number): void {
    this.#requireNotCeo(id);
    this.#place(id, GRAVEYARD_ID);
    this.#deleted.add(id);
  }

  setCeo(corporationId: number, characterId: number): void {
    if (this.#requireCharacter(characterId).corporationId !== corporationId) {
      throw new Error(`Character ${characterId} is no member of corporation ${corporationId}`);
    }
    this.#changeCorporation(corporationId, { ceoId: characterId });
  }

  /** An alliance that loses its executor in this way is left without one. */
  moveCorporation(id: number, allianceId: number | null): void {
    const { allianceId: left } = this.#requireCorporation(id);
    if (allianceId !== null) this.#requireAlliance(allianceId);
    if (left !== null && left !== allianceId && this.#requireAlliance(left).executorCorporationId === id) {
      this.#changeAlliance(left, { executorCorporationId: null });
    }
    this.#changeCorporation(id, { allianceId });
  }

  renameCorporation(id: number, name: string, ticker?: string): void {
    this.#changeCorporation(id, ticker === undefined ? { name } : { name, ticker });
  }

  /** Closes it: the members go to the game's own corporation. */
  closeCorporation(id: number): void {
    this.moveCorporation(id, null);
    this.#changeCorporation(id, { ceoId: null, closed: true });
    for (const member of this.membersOf(id)) this.#place(member, NPC_CORPORATION_ID);
  }

  setExecutor(allianceId: number, corporationId: number | null): void {
    if (corporationId !== null && this.#requireCorporation(corporationId).allianceId !== allianceId) {
      throw new Error(`Corporation ${corporationId} is no member of alliance ${allianceId}`);
    }
    this.#changeAlliance(allianceId, { executorCorporationId: corporationId });
  }

  renameAlliance(id: number, name: string, ticker?: string): void {
    this.#changeAlliance(id, ticker === undefined ? { name } : { name, ticker });
  }

  closeAlliance(id: number): void {
    this.#requireAlliance(id);
    for (const corporationId of this.corporationsOf(id)) this.moveCorporation(corporationId, null);
  }

  sendMail(mail: Omit<SentMail, 'hour'>): void {
    this.sentMails.push({ ...mail, hour: this.hour });
  }

  /** Corporation i is led by character i, and alliance i by corporation i. */
  #found(alliances: number, corporations: number): void {
    const random = sequence(this.seed);
    const tickers = new Set<string>();
    const independent = Math.min(corporations - alliances, Math.max(1, Math.floor(corporations / 6)));
    for (let i = 0; i < alliances; i++) {
      const name = this.#names.alliance(i);
      this.#alliances.set(FIRST_ALLIANCE_ID + i, {
        id: FIRST_ALLIANCE_ID + i,
        name,
        ticker: takeTicker(name, tickers),
        creatorId: FIRST_CHARACTER_ID + i,
        creatorCorporationId: FIRST_CORPORATION_ID + i,
        executorCorporationId: FIRST_CORPORATION_ID + i,
        foundedAt: new Date(EPOCH - Math.floor(random() * 3 * YEAR)),
      });
    }
    for (let i = 0; i < corporations; i++) {
      const name = this.#names.corporation(i);
      const joined = i < alliances ? i : Math.floor(random() * alliances);
      const alone = alliances === 0 || i >= corporations - independent;
      this.#corporations.set(FIRST_CORPORATION_ID + i, {
        id: FIRST_CORPORATION_ID + i,
        name,
        ticker: takeTicker(name, tickers),
        ceoId: FIRST_CHARACTER_ID + i,
        creatorId: FIRST_CHARACTER_ID + i,
        allianceId: alone ? null : FIRST_ALLIANCE_ID + joined,
        taxRate: Math.floor(random() * 20) / 100,
        foundedAt: new Date(EPOCH - 3 * YEAR - Math.floor(random() * 5 * YEAR)),
        closed: false,
        npc: false,
      });
    }
    this.#foundNpc(GRAVEYARD_ID, 'Fields of Rest', 'REST');
    this.#foundNpc(NPC_CORPORATION_ID, 'Frontier Recruits', 'FRNT');
  }

  #foundNpc(id: number, name: string, ticker: string): void {
    const own = { ceoId: null, creatorId: 1, allianceId: null, taxRate: 0.11, closed: false, npc: true };
    this.#corporations.set(id, { id, name, ticker, foundedAt: new Date(EPOCH - 20 * YEAR), ...own });
  }

  #populate(corporations: number, characters: number): void {
    const random = sequence(this.seed + 7);
    const shares: number[] = [];
    let sum = 0;
    for (let i = 0; i < corporations; i++) {
      sum += 0.3 + random();
      shares.push(sum);
    }
    for (let index = 0; index < characters; index++) {
      if (index < corporations) this.#corporationOf[index] = FIRST_CORPORATION_ID + index;
      else if (index < corporations + NPC_MEMBERS || random() < NPC_SHARE) {
        this.#corporationOf[index] = NPC_CORPORATION_ID;
      } else this.#corporationOf[index] = FIRST_CORPORATION_ID + firstAbove(shares, random() * sum);
    }
  }

  #place(id: number, corporationId: number): void {
    this.#corporationOf[id - FIRST_CHARACTER_ID] = corporationId;
  }

  #changeCorporation(id: number, change: Partial<Corporation>): void {
    this.#corporations.set(id, { ...this.#requireCorporation(id), ...change });
  }

  #changeAlliance(id: number, change: Partial<Alliance>): void {
    this.#alliances.set(id, { ...this.#requireAlliance(id), ...change });
  }

  #requireCharacter(id: number): Character {
    const character = this.character(id);
    if (character === undefined) throw new Error(`No character ${id} in this world`);
    return character;
  }

  #requireNotCeo(id: number): void {
    if (this.#requireCharacter(id).isCeo)
      throw new Error(`Character ${id} leads its corporation: set another CEO first`);
  }

  #requireCorporation(id: number): Corporation {
    const corporation = this.#corporations.get(id);
    if (corporation === undefined) throw new Error(`No corporation ${id} in this world`);
    return corporation;
  }

  #requireAlliance(id: number): Alliance {
    const alliance = this.#alliances.get(id);
    if (alliance === undefined) throw new Error(`No alliance ${id} in this world`);
    return alliance;
  }
}

/** Index of the first element above the value, in an ascending list. */
function firstAbove(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function requireWithin(what: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`A world of these numbers needs ${least} to ${most} ${what}, not ${value}`);
}
