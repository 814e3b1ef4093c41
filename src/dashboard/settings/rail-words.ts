import type { Capability } from '../../api/dashboard/capabilities.ts';
import { type StateTable, sentenceCase } from '../controls/status-chip.ts';

const kinds: Readonly<Record<Capability['type'], string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
  bank_account: 'To bank accounts',
  mobile_money: 'Mobile money',
  crypto_wallet: 'To wallets',
};

/** The purpose of a rail or chain, in words for merchants. Operators of mobile money may work in both directions. */
export function wayKind({ type }: Pick<Capability, 'type'>, direction: 'in' | 'out'): string {
  return type === 'mobile_money' && direction === 'out' ? 'To mobile money' : (kinds[type] ?? sentenceCase(type));
}

/** The states of a rail or chain. “Simulated”: the sandbox replaces it, and no real money moves. */
export const wayStates: StateTable = {
  on: ['On', 'good'],
  simulated: ['Simulated', 'busy'],
  off: ['Off', 'plain'],
  unreachable: ['Does not answer', 'bad'],
};

export const stateOf = ({ state, simulated }: Capability): string =>
  state === 'on' && simulated ? 'simulated' : state;
