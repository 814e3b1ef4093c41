import { Keypair } from '@stellar/stellar-sdk/base';
import { computeCheckDigits } from '../../src/core/bank/iban.ts';
import { muxedAddress } from '../../src/server/stellar/transaction/muxed-address.ts';

/** One in this many Stellar payouts goes to an account that does not exist. */
const missingEvery = 40;
/** Last digits of numbers, and the sandbox operator's outcome (`sandbox/mobile-money.ts`). 129 takes a minute. */
const endings = [
  ...(['000', '000', '000', '000', '000', '000', '129'] as const).map(digits => ({ digits, status: 'completed' })),
  ...(['089', '119'] as const).map(digits => ({ digits, status: 'failed' })),
  { digits: '139', status: 'returned' },
];

/** Account holders, and the sandbox bank's outcome. */
export const holders = [
  ...(['Ada Lovelace', 'Alan Turing', 'Slow Bank'] as const).map(holder => ({ holder, status: 'completed' })),
  { holder: 'Closed Account', status: 'failed' },
  { holder: 'Returned Later', status: 'returned' },
];

/** The outcome of a row's payout. */
export function endOf(position: number): string {
  if (isOnStellar(position)) return isMissing(position) ? 'failed' : 'completed';
  return (isToBank(position) ? holderOf(position) : endingOf(position))?.status ?? '';
}

/**
 * Whether a payout may end so whose bank or operator answers `expected`. A payout whose return is read before the
 * report of its payment has failed: its money never left for good.
 */
export function isEnd(status: string, expected: string, isBank: boolean): boolean {
  return status === expected || (isBank && status === 'failed' && expected === 'returned');
}

/** The value of a row in cents. */
export const amountOf = (position: number) => 100 + (position % 900);

const isOnStellar = (position: number) => position % 10 < 6;
export const isToBank = (position: number) => !isOnStellar(position) && position % 10 < 9;
const holderOf = (position: number) => holders[Math.floor(position / 10) % holders.length];
const isMissing = (position: number) => position % missingEvery === 0;
const endingOf = (position: number) => endings[Math.floor(position / 10) % endings.length];

/**
 * Rows of one request: six of ten on Stellar, three to banks, one to mobile money. A payout on Stellar goes to a muxed
 * address whose id is its position, so that the ledger identifies the payout.
 */
export function payoutRows(count: number, accounts: readonly string[]): object[] {
  return Array.from({ length: count }, (_, position) => ({
    amount: amountOf(position),
    currency: 'USD',
    reference: `row-${position}`,
    destination: destinationOf(position, accounts),
  }));
}

function destinationOf(position: number, accounts: readonly string[]): object {
  if (isOnStellar(position)) return walletOf(position, accounts);
  return isToBank(position) ? bankOf(position) : mobileOf(position);
}

function bankOf(position: number): object {
  return bankAccount(position % 2 === 0 ? 'ach' : 'sepa', position, holderOf(position)?.holder ?? '');
}

/** A bank account that the rail pays, another one for each position. */
export function bankAccount(rail: 'sepa' | 'ach', position: number, account_holder: string): object {
  const account = String(10_000_000 + position);
  if (rail === 'ach') return { type: 'bank_account', routing: '021000021', account, country: 'US', account_holder };
  const bban = `37040044${account.padStart(10, '0')}`;
  return { type: 'bank_account', iban: `DE${computeCheckDigits('DE', bban)}${bban}`, account_holder };
}

function walletOf(position: number, accounts: readonly string[]): object {
  const account = accounts[position % accounts.length] ?? '';
  const address = isMissing(position) ? Keypair.random().publicKey() : muxedAddress(account, BigInt(position));
  return { type: 'crypto_wallet', chain: 'stellar', address, asset: 'USDC' };
}

function mobileOf(position: number): object {
  const provider = position % 2 === 0 ? 'mtn' : 'mpesa';
  return {
    type: 'mobile_money',
    provider,
    number: `+233244${String(position % 1_000).padStart(3, '0')}${endingOf(position)?.digits}`,
  };
}
