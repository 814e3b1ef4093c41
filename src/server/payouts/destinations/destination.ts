import type { MobileMoneyDestination, PayoutDestination } from '../../../api/payout.ts';
import type { FieldError } from '../../../core/error.ts';
import { parsePhoneNumber } from '../../platform/phone-number.ts';
import { checkBankAccount } from './bank-account.ts';
import type { DestinationContext, Refuse } from './destination-context.ts';
import { checkWallet } from './wallet.ts';

/** The destination in canonical form, or its errors. */
export type DestinationCheck =
  | { readonly destination: PayoutDestination }
  | { readonly errors: readonly [FieldError, ...FieldError[]] };

/**
 * Checks a destination without a network request: check digits, phone number, address, memo and asset. Equal accounts
 * give equal results. IBAN, BIC and country are in capitals without blanks. Phone numbers are in E.164, Stellar assets
 * are `XLM` or `CODE:ISSUER`, and memos have a type. `param` is the destination's path in the request. Does not throw.
 */
export function checkDestination(
  destination: PayoutDestination,
  param: string,
  context: DestinationContext,
): DestinationCheck {
  const errors: FieldError[] = [];
  const refuse: Refuse = (field, code, message) => {
    errors.push({ param: field === '' ? param : `${param}.${field}`, code, message });
    return null;
  };
  const checked = checkByType(destination, param, context, refuse);
  const [first, ...others] = errors;
  if (first !== undefined) return { errors: [first, ...others] };
  if (checked === null) throw new Error('a refused destination must say why');
  return { destination: checked };
}

function checkByType(
  destination: PayoutDestination,
  param: string,
  context: DestinationContext,
  refuse: Refuse,
): PayoutDestination | null {
  switch (destination.type) {
    case 'mobile_money':
      return checkMobileMoney(destination, context, refuse);
    case 'bank_account':
      return checkBankAccount(destination, refuse);
    case 'crypto_wallet':
      return checkWallet(destination, param, context, refuse);
  }
}

function checkMobileMoney(
  { provider, number }: MobileMoneyDestination,
  { providers }: DestinationContext,
  refuse: Refuse,
): MobileMoneyDestination | null {
  const id = provider.trim().toLowerCase();
  if (!providers.includes(id)) refuse('provider', 'invalid_provider', unknownProvider(provider, providers));
  const phone = parsePhoneNumber(number);
  return phone === null
    ? refuse('number', 'invalid_phone_number', wrongNumber(number))
    : { type: 'mobile_money', provider: id, number: phone };
}

function unknownProvider(provider: string, providers: readonly string[]): string {
  if (providers.length === 0) return 'No mobile-money provider is connected to this server. Use another destination.';
  return `“${provider.slice(0, 40)}” is not a connected mobile-money provider. Use one of ${providers.join(', ')}.`;
}

function wrongNumber(number: string): string {
  return number.trim().startsWith('+')
    ? 'The phone number does not fit its country. Check its digits: a country code and the whole number.'
    : 'The phone number has no country. Write it with + and the country code, for example +254712345678.';
}
