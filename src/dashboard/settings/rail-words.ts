import type { Capability } from '../../api/dashboard/capabilities.ts';
import { type StateTable, sentenceCase } from '../controls/status-chip.ts';

/** The purpose of a rail or chain, in words for merchants. */
export const wayKinds: Readonly<Record<Capability['type'], string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
  bank_account: 'To bank accounts',
  mobile_money: 'To mobile money',
  crypto_wallet: 'To wallets',
};

/** The states of a rail or chain. “Simulated”: the sandbox replaces it, and no real money moves. */
export const wayStates: StateTable = {
  on: ['On', 'good'],
  simulated: ['Simulated', 'busy'],
  off: ['Off', 'plain'],
  unreachable: ['Does not answer', 'bad'],
};

export const stateOf = ({ state, simulated }: Capability): string =>
  state === 'on' && simulated ? 'simulated' : state;

const names: Readonly<Record<string, string>> = {
  card: 'Cards',
  bank_transfer: 'Bank transfers',
  sepa: 'SEPA',
  swift: 'SWIFT',
  ach: 'ACH',
  mtn: 'MTN MoMo',
  mpesa: 'M-Pesa',
  bnb: 'BNB Chain',
  xrpl: 'XRP Ledger',
};

/** The name of a rail or chain, such as `SEPA`, `M-Pesa` or `Stellar`. */
export const wayName = ({ id }: Pick<Capability, 'id'>): string => names[id] ?? sentenceCase(id);
