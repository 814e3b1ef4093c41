import type { BankAccountDestination } from '../../../api/payout.ts';
import { isBic, isBicOfCountry, isBicOfIban } from '../../../core/bank/account-number.ts';
import { computeCheckDigits, isIban } from '../../../core/bank/iban.ts';
import { nationalAccounts } from '../../../core/bank/national-accounts.ts';
import { plainLine } from '../../platform/mail/plain-line.ts';
import type { Refuse } from './destination-context.ts';

type Field = 'iban' | 'bic' | 'routing' | 'account' | 'country';

/** The given fields in capitals, without blanks and hyphens. */
type Fields = Partial<Record<Field, string>>;

/**
 * Checks a bank account and returns it in canonical spelling. It has one of three forms: IBAN; routing and account of
 * one country; or BIC, account and country for SWIFT. Rejects other combinations with `invalid_destination`.
 */
export function checkBankAccount(given: BankAccountDestination, refuse: Refuse): BankAccountDestination | null {
  const fields = readFields(given);
  const checked = checkFields(fields, refuse);
  if (checked === null) return null;
  const holder = given.account_holder?.trim();
  // In an approval, such a name could imitate another account.
  if (holder !== undefined && plainLine(holder) !== holder)
    return refuse('account_holder', 'invalid_destination', wrongHolder);
  return { type: 'bank_account', ...checked, ...(holder !== undefined && holder !== '' && { account_holder: holder }) };
}

function checkFields(fields: Fields, refuse: Refuse): Fields | null {
  if (fields.iban !== undefined) return checkIban(fields, fields.iban, refuse);
  if (fields.bic !== undefined) return checkSwift(fields, fields.bic, refuse);
  if (fields.routing === undefined && fields.account === undefined) return refuse('', 'invalid_destination', forms);
  return checkDomestic(fields, refuse);
}

const wrongHolder = 'The name of the holder must be one line, without invisible marks that change its direction.';
const forms =
  'A bank account needs iban; or routing and account, with country outside of the US; or bic, account and country.';
const names = ['iban', 'bic', 'routing', 'account', 'country'] as const;

function readFields(given: BankAccountDestination): Fields {
  const fields: Fields = {};
  for (const name of names) {
    const text = given[name];
    if (text !== undefined) fields[name] = text.replace(/[\s\u00a0-]/g, '').toUpperCase();
  }
  return fields;
}

function missing(field: Field, needs: string, refuse: Refuse): null {
  return refuse(field, 'invalid_destination', `The bank account lacks ${field}: ${needs}.`);
}

function unexpected(field: Field, reason: string, refuse: Refuse): null {
  return refuse(field, 'invalid_destination', `The bank account takes no ${field}: ${reason}.`);
}

function checkIban({ bic, routing, account, country }: Fields, iban: string, refuse: Refuse): Fields | null {
  if (routing !== undefined) return unexpected('routing', 'the IBAN contains it', refuse);
  if (account !== undefined) return unexpected('account', 'the IBAN contains it', refuse);
  const place = iban.slice(0, 2);
  if (!isIban(iban)) return refuse('iban', 'invalid_iban', wrongIban(iban));
  if (country !== undefined && country !== place) {
    return refuse('country', 'invalid_destination', `The IBAN has the country ${place}. Leave country out.`);
  }
  if (bic === undefined) return { iban };
  if (isBicOfIban(bic, iban)) return { iban, bic };
  return refuse('bic', 'invalid_bic', wrongBic(bic, place));
}

function wrongIban(iban: string): string {
  const isSum =
    /^[A-Z]{2}[0-9]{2}[0-9A-Z]+$/.test(iban) &&
    computeCheckDigits(iban.slice(0, 2), iban.slice(4)) === iban.slice(2, 4);
  return isSum
    ? 'The IBAN does not have the format of its country, or the country has no IBANs.'
    : 'The IBAN’s check digits are wrong: a character is missing or mistyped. Ask the recipient for it.';
}

function wrongBic(bic: string, country: string): string {
  return isBic(bic)
    ? `The BIC has the country ${bic.slice(4, 6)}, but the account has ${country}. Ask the recipient for both.`
    : 'The BIC must have 8 or 11 characters, as in DEUTDEFF or DEUTDEFF500.';
}

function checkSwift({ routing, account, country }: Fields, bic: string, refuse: Refuse): Fields | null {
  if (routing !== undefined) return unexpected('routing', 'the BIC names the bank', refuse);
  if (account === undefined) return missing('account', 'an account by BIC needs bic, account and country', refuse);
  if (country === undefined) return missing('country', 'an account by BIC needs bic, account and country', refuse);
  if (!isBicOfCountry(bic, country)) return refuse('bic', 'invalid_bic', wrongBic(bic, country));
  if (!/^[0-9A-Z]{1,34}$/.test(account)) {
    return refuse('account', 'invalid_account_number', 'The account number must have 1 to 34 digits and letters.');
  }
  return { bic, account, country };
}

function checkDomestic({ routing, account, country = 'US' }: Fields, refuse: Refuse): Fields | null {
  const form = nationalAccounts.get(country);
  if (form === undefined) {
    const known = [...nationalAccounts.keys()].join(', ');
    const message = `Accounts of ${country} are paid by iban, or by bic, account and country. routing and account serve ${known}.`;
    return refuse('country', 'invalid_destination', message);
  }
  if (account === undefined) return missing('account', `an account of ${country} needs it`, refuse);
  if (form.routing === null) {
    if (routing !== undefined) return unexpected('routing', `an account of ${country} contains it`, refuse);
  } else {
    if (routing === undefined) return missing('routing', `an account of ${country} needs ${form.routing.form}`, refuse);
    if (!form.routing.isRight(routing)) {
      return refuse('routing', 'invalid_routing_number', `routing must be ${form.routing.form}.`);
    }
  }
  if (!form.isAccount(account, routing ?? '')) {
    return refuse('account', 'invalid_account_number', `The account number must be ${form.accountForm}.`);
  }
  return { ...(routing !== undefined && { routing }), account, country };
}
