import { isRoutingNumber } from './aba.ts';
import { isClabe, isNuban, isUkAccountNumber, parseSortCode } from './account-number.ts';

/** The national form of bank accounts in a country: a row of `nationalAccounts`. */
interface NationalAccount {
  /** The check of a routing number, and a description of its form. Null if the country has no routing numbers. */
  readonly routing: { readonly isRight: (routing: string) => boolean; readonly form: string } | null;
  readonly isAccount: (account: string, routing: string) => boolean;
  readonly accountForm: string;
}

/** Countries whose banks are paid by routing and account number, by ISO 3166-1 alpha-2 code. */
export const nationalAccounts: ReadonlyMap<string, NationalAccount> = new Map<string, NationalAccount>([
  [
    'US',
    {
      routing: { isRight: isRoutingNumber, form: 'the nine digits of an ABA routing number, whose checksum is right' },
      isAccount: account => /^[0-9]{4,17}$/.test(account),
      accountForm: '4 to 17 digits',
    },
  ],
  [
    'GB',
    {
      routing: { isRight: routing => parseSortCode(routing) !== null, form: 'the six digits of a sort code' },
      isAccount: isUkAccountNumber,
      accountForm: 'eight digits; put a zero before seven',
    },
  ],
  [
    'NG',
    {
      routing: { isRight: routing => /^([0-9]{3}|[0-9]{5,6})$/.test(routing), form: 'the three digits of a bank code' },
      isAccount: isNuban,
      accountForm: 'the ten digits of a NUBAN, whose check digit is right for the bank',
    },
  ],
  [
    'MX',
    {
      routing: null,
      isAccount: isClabe,
      accountForm: 'the 18 digits of a CLABE, whose check digit is right',
    },
  ],
]);

/** Whether the routing number (empty where the country has none) and the account number are right for the country. */
export function isNationalAccount(country: string, account: string, routing: string): boolean {
  const row = nationalAccounts.get(country);
  return row !== undefined && row.routing?.isRight(routing) !== false && row.isAccount(account, routing);
}
