import type { Castellan } from '../../../sdk/src/index.ts';
import { Lender } from './lender.ts';

/** A group as the answers so far say that it is. */
export interface Kept {
  readonly id: string;
  readonly name: string;
  /** Several where the answer to a change did not come. */
  descriptions: readonly string[];
  /** Who is a member; undefined where the answer did not come. */
  readonly members: Map<number, boolean | undefined>;
}

/** What was acknowledged of groups, to be compared with what is stored. */
export interface Ledger {
  /** The groups that exist. */
  readonly groups: Lender<Kept>;
  /** Names of groups whose deletion was acknowledged. */
  readonly deleted: string[];
  /** A name that no group has had. */
  nextName(): string;
}

export function createLedger(random: () => number): Ledger {
  let names = 0;
  return {
    groups: new Lender<Kept>(random),
    deleted: [],
    nextName() {
      names += 1;
      return `Wing ${names}`;
    },
  };
}

/** What is stored otherwise than it was acknowledged; nobody changes anything meanwhile. */
export async function lost({ groups, deleted }: Ledger, root: Castellan): Promise<string[]> {
  const names = new Set((await root.group.list()).map(({ group_name }) => group_name));
  const wrong = deleted.filter((name) => names.has(name)).map((name) => `${name} was deleted and is there`);
  for (let kept = groups.take(); kept !== undefined; kept = groups.take()) {
    if (!names.has(kept.name)) wrong.push(`${kept.name} is missing`);
    else wrong.push(...(await differences(kept, root)));
  }
  return wrong;
}

async function differences({ id, name, descriptions, members }: Kept, root: Castellan): Promise<string[]> {
  const stored = await root.group.get({ params: { group_id: id } });
  const present = new Set(stored.members.map(({ character_id }) => character_id));
  return [
    ...(descriptions.includes(stored.description) ? [] : [`${name} is described as “${stored.description}”`]),
    ...[...members]
      .filter(([character, member]) => member !== undefined && member !== present.has(character))
      .map(([character, member]) => `${name}: ${character} is ${member ? 'no' : 'a'} member`),
  ];
}
