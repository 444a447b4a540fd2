import { Refusal } from '../web/http.ts';
import { clones } from '../world/clones.ts';
import { bidsOf, contractOf, contracts, itemsOf } from '../world/contracts.ts';
import { journal, transactions } from '../world/ledger.ts';
import {
  type Call,
  ITEMS_PER_PAGE,
  type Operation,
  ownCharacter,
  type Page,
  pageOf,
  per15m,
  wholeNumber,
} from './operation.ts';

const CONTRACTS = {
  scope: 'contracts.read_character_contracts.v1',
  rateGroup: per15m('char-contract', 600),
} as const;
const MONEY = {
  scope: 'wallet.read_character_wallet.v1',
  cached: 3_600,
  rateGroup: per15m('char-wallet', 150),
} as const;

/** What a character owns besides its things, and what it does with others: clones, contracts, money. */
export const AFFAIRS: readonly Operation[] = [
  {
    id: 'GetCharacterClones',
    method: 'GET',
    path: '/characters/{character_id}/clones',
    cached: 120,
    summary: 'Clones',
    scope: 'clones.read_clones.v1',
    rateGroup: per15m('char-location', 1_200),
    run: (call) => clones(call.world, ownCharacter(call)),
  },
  {
    id: 'GetCharacterContracts',
    method: 'GET',
    path: '/characters/{character_id}/contracts',
    ...CONTRACTS,
    cached: 300,
    paged: true,
    summary: 'Contracts of the last 30 days',
    run: (call): Page => contracts(call.world, ownCharacter(call), pageOf(call), ITEMS_PER_PAGE),
  },
  {
    id: 'GetCharacterContractItems',
    method: 'GET',
    path: '/characters/{character_id}/contracts/{contract_id}/items',
    ...CONTRACTS,
    cached: 3_600,
    summary: 'Items of a contract',
    run: (call) => itemsOf(ownContract(call)),
  },
  {
    id: 'GetCharacterContractBids',
    method: 'GET',
    path: '/characters/{character_id}/contracts/{contract_id}/bids',
    ...CONTRACTS,
    cached: 300,
    summary: 'Bids for a contract',
    run: (call) => bidsOf(call.world, ownContract(call)),
  },
  {
    id: 'GetCharacterWalletJournal',
    method: 'GET',
    path: '/characters/{character_id}/wallet/journal',
    ...MONEY,
    paged: true,
    summary: 'What moved the balance in the last 30 days',
    run: (call): Page => journal(call.world, ownCharacter(call), pageOf(call), ITEMS_PER_PAGE),
  },
  {
    id: 'GetCharacterWalletTransactions',
    method: 'GET',
    path: '/characters/{character_id}/wallet/transactions',
    ...MONEY,
    query: { from_id: 'integer' },
    summary: 'The newest trades, or those before from_id',
    run: (call) => transactions(call.world, ownCharacter(call), wholeNumber(call, 'from_id')),
  },
];

function ownContract(call: Call) {
  const contract = contractOf(call.world, ownCharacter(call), call.params.contract_id ?? 0);
  if (contract === undefined) throw new Refusal(404, 'Contract not found');
  return contract;
}
