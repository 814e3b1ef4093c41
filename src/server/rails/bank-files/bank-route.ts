import { isRoutingNumber } from '../../../core/bank/aba.ts';
import { isBic, isBicOfIban } from '../../../core/bank/account-number.ts';
import { isIban } from '../../../core/bank/iban.ts';
import { isNationalAccount } from '../../../core/bank/national-accounts.ts';
import { bankRails } from '../../../core/bank/rails.ts';
import { isSepaIban } from '../../../core/bank/sepa.ts';
import { parseCurrency } from '../../../core/currency.ts';
import type { FileRailId } from './bank-file.ts';

type Destination = Readonly<Record<string, string>>;

/**
 * The currency in which the rail pays a destination when `currency` is asked for, or null. SEPA pays euros to IBANs of
 * its countries. ACH pays dollars in the US. SWIFT pays any currency to other banks. A sandbox rail pays every
 * currency. The sandbox's SWIFT also pays national account numbers without a BIC.
 */
export function payableCurrency(
  rail: FileRailId,
  destination: Destination,
  currency: string,
  isSandbox: boolean,
): string | null {
  if (destination['type'] !== 'bank_account' || !reaches[rail](destination, isSandbox)) return null;
  const asked = parseCurrency(currency);
  if (asked !== null && (isSandbox || bankRails[rail].paysAny)) return asked;
  return bankRails[rail].currency;
}

const reaches: Readonly<Record<FileRailId, (destination: Destination, isSandbox: boolean) => boolean>> = {
  sepa: ({ iban = '', bic }) => isSepaIban(iban) && isIban(iban) && (bic === undefined || isBicOfIban(bic, iban)),
  ach: ({ routing = '', account = '', country = 'US', iban, bic }) =>
    country.toUpperCase() === 'US' &&
    iban === undefined &&
    bic === undefined &&
    isRoutingNumber(routing) &&
    /^[0-9A-Za-z]{1,17}$/.test(account),
  swift: ({ iban, bic, account, country, routing }, isSandbox) => {
    if (bic !== undefined && !isBic(bic)) return false;
    if (iban !== undefined) return isIban(iban) && !isSepaIban(iban) && (isSandbox || bic !== undefined);
    if (account === undefined || country === undefined) return false;
    if (bic !== undefined) return /^[0-9A-Za-z]{1,34}$/.test(account);
    // ACH pays accounts in the US.
    const home = country.toUpperCase();
    return isSandbox && home !== 'US' && isNationalAccount(home, account, routing ?? '');
  },
};
