import type { Attack } from '../attack.ts';
import { bodyAttacks } from './bodies.ts';
import { forwardAttacks } from './forwards.ts';
import { readerAttacks } from './readers.ts';
import { requestAttacks } from './requests.ts';
import { senderAttacks } from './senders.ts';

export const attacks: readonly Attack[] = [
  ...requestAttacks,
  ...forwardAttacks,
  ...readerAttacks,
  ...senderAttacks,
  ...bodyAttacks,
];

/** People that all of them need. */
export const ATTACKERS = attacks.reduce((sum, { callers }) => sum + callers, 0);
