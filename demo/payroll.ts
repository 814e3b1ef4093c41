import type { BankAccountDestination, CreatePayout, MobileMoneyDestination } from '../src/api/payout.ts';
import { computeCheckDigits } from '../src/core/bank/iban.ts';
import { sumOf } from '../src/core/money.ts';
import { shopCurrency } from './catalogue.ts';

/** A fictional person whom the demo pays. The page and the shop's server use the same list. */
export interface Payee {
  readonly name: string;
  /** Cents. */
  readonly amount: bigint;
  readonly where: Where;
}

/** Where a person is paid. The shop's server opens the Stellar wallets, so only it knows their addresses. */
type Where = MobileMoneyDestination | BankAccountDestination | StellarWallet;

interface StellarWallet {
  readonly type: 'stellar_wallet';
  /** Index of the wallet, from 0. */
  readonly wallet: number;
}

export const payeeCount = 1_000;

const firstNames = (
  'Ama Kwame Efua Kofi Abena Yaw Akua Kojo Wanjiru Otieno Achieng Kamau Njeri Mwangi Amina Juma Lena Jonas Clara Emil ' +
  'Ines Mateo Lucia Hugo Chloe Louis Sofia Marco Giulia Piotr Zofia Jan Anna Erik Freja Lars Maria Ivan Nadia Tomas'
).split(' ');

const lastNames = (
  'Mensah Owusu Boateng Asante Odhiambo Wambui Kariuki Hassan Weber Fischer Lindgren Hansen Moreau Lefevre Rossi ' +
  'Conti Garcia Navarro Kowalski Novak Peeters Janssen Silva Costa Berg'
).split(' ');

/** Each pair of names occurs once. */
function nameOf(index: number): string {
  const first = firstNames[index % firstNames.length];
  const round = Math.floor(index / firstNames.length);
  return `${first} ${lastNames[(index * 7 + round) % lastNames.length]}`;
}

/**
 * Of 100 people, 60 are paid by mobile money, 39 into a bank account and one into a Stellar wallet. Phone numbers end
 * in 200 to 999, because the endings 089, 119 and 129 are test numbers with special results.
 */
function whereOf(index: number): Where {
  if (index % 100 === 9) return { type: 'stellar_wallet', wallet: Math.floor(index / 100) };
  return index % 10 < 6 ? phoneOf(index) : accountOf(index);
}

function phoneOf(index: number, ending = String(200 + ((index * 37) % 800))): MobileMoneyDestination {
  const digits = `${String(1_000 + index)}${ending}`;
  const isGhana = index % 2 === 0;
  return {
    type: 'mobile_money',
    provider: isGhana ? 'mtn' : 'mpesa',
    number: isGhana ? `+23324${digits}` : `+25472${digits}`,
  };
}

/** No German bank has the code 99999999. */
function accountOf(index: number): BankAccountDestination {
  const account = `99999999${String(1_000_000_000 + index * 104_729).padStart(10, '0')}`;
  return {
    type: 'bank_account',
    iban: `DE${computeCheckDigits('DE', account)}${account}`,
    account_holder: nameOf(index),
  };
}

/** The people of the list, with amounts from 18 to 140 euros. */
export const payees: readonly Payee[] = Array.from({ length: payeeCount }, (_, index) => ({
  name: nameOf(index),
  amount: BigInt(1_800 + ((index * 7_919) % 12_200)),
  where: whereOf(index),
}));

/** The sum of the amounts, in cents. */
export function totalOf(people: readonly Payee[]): bigint {
  return sumOf(people.map(({ amount }) => amount));
}

/** The number of people who are paid on Stellar. */
export function walletsOf(people: readonly Payee[]): number {
  return people.filter(({ where }) => where.type === 'stellar_wallet').length;
}

/** Unknown phone numbers by position in the list. A run includes them if the visitor asks for wrong numbers. */
const wrongNumbers: ReadonlyMap<number, MobileMoneyDestination> = new Map(
  [11, 22, 33, 44, 55].map(index => [index, phoneOf(index, '089')]),
);

/** One run of the payroll. */
interface PayrollRun {
  /** Unique, because the service accepts each reference only once. */
  readonly number: string;
  /** Addresses of Stellar wallets. People whose wallet is missing are paid by phone. */
  readonly wallets: readonly string[];
  readonly isWithWrongNumbers: boolean;
}

/** The payouts of a run, as the API takes them. `people` is the payroll or its first people. */
export function payoutsOf(
  people: readonly Payee[],
  { number, wallets, isWithWrongNumbers }: PayrollRun,
): CreatePayout[] {
  const destinationOf = (where: Where, index: number): NonNullable<CreatePayout['destination']> => {
    const wrong = isWithWrongNumbers ? wrongNumbers.get(index) : undefined;
    if (where.type !== 'stellar_wallet') return wrong ?? where;
    const address = wallets[where.wallet];
    if (address === undefined) return phoneOf(index);
    return { type: 'crypto_wallet', chain: 'stellar', address, asset: 'USDC' };
  };
  return people.map(({ name, amount, where }, index) => ({
    amount: Number(amount),
    currency: shopCurrency,
    destination: destinationOf(where, index),
    reference: `${number}-${index + 1}`,
    metadata: { run: number, name },
  }));
}

/** A person's destination as a text for the page. */
export function whereText(where: Where): string {
  switch (where.type) {
    case 'mobile_money':
      return `${where.number} · ${where.provider === 'mtn' ? 'MTN MoMo' : 'M-Pesa'}`;
    case 'bank_account':
      return (where.iban ?? '').replace(/(.{4})(?=.)/g, '$1 ');
    case 'stellar_wallet':
      return 'Stellar wallet · USDC';
  }
}
