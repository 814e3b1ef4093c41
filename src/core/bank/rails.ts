import { formatUnits } from '../money.ts';
import { isRoutingNumber } from './aba.ts';
import { isBic } from './account-number.ts';
import { epcPayload } from './epc-qr.ts';
import { formatIban, isIban } from './iban.ts';
import { isSepaIban } from './sepa.ts';
import { findTransferReferences, transferReferenceOf } from './transfer-reference.ts';

/** A system in which banks settle. */
export type BankCalendar = 'target' | 'fedwire';

/** When a rail accepts orders and delivers money. */
interface RailTimes {
  readonly calendar: BankCalendar;
  /** From this minute of the day on, an order is executed on the next bank day. */
  readonly cutOff: number;
  /** Bank days from the execution day to the arrival day. */
  readonly days: number;
  /** The minute of the arrival day by which the money has arrived. */
  readonly arrives: number;
}

/** A field of an account, as the payer's bank asks for it. */
interface AccountField {
  /** Stable key, as in `next_action.fields`. */
  readonly name: string;
  /** English. */
  readonly label: string;
  /** Checks the form and the check digits. */
  readonly isRight: (value: string) => boolean;
  /** The printed form. Default: the value. */
  readonly print?: (value: string) => string;
  /** Default: true. */
  readonly copyable?: boolean;
}

/** A transfer that the payer shall make. `account` has a value for each field of the rail. */
export interface TransferForm {
  readonly payee: string;
  readonly account: Readonly<Record<string, string>>;
  readonly reference: string;
  /** Minor units. Null: the sender chooses the amount. */
  readonly amount: bigint | null;
}

interface TransferQr {
  readonly format: string;
  readonly payload: string;
}

/** How payers transfer money to an account at the rail. */
interface ReceivingRail {
  /** Bank days until a transfer arrives; 0 means the same day. */
  readonly settlementDays: number;
  readonly fields: readonly AccountField[];
  /** The reference from twelve random bytes. */
  readonly referenceOf: (random: Uint8Array) => string;
  /** Possible references in a remittance text. */
  readonly findReferences: (text: string) => readonly string[];
  /** The code that bank apps read. Null if the rail has no code, or the transfer does not fit into one. */
  readonly qrOf: (form: TransferForm) => TransferQr | null;
}

/** One rail of banks: a row of `bankRails`. */
interface BankRailRow {
  /** ISO 4217. */
  readonly currency: string;
  /** Whether the rail also pays other currencies. */
  readonly paysAny: boolean;
  readonly times: RailTimes;
  /** Null: the rail only pays out. */
  readonly receives: ReceivingRail | null;
}

const commonReference = { referenceOf: transferReferenceOf, findReferences: findTransferReferences };

const epcQr: ReceivingRail['qrOf'] = ({ payee, account: { iban = '', bic = '' }, reference, amount }) => {
  const payload = epcPayload({ bic, name: payee, iban, amount, text: reference });
  return payload === null ? null : { format: 'epc', payload };
};

/**
 * The bank rails. SEPA money arrives one TARGET day after the execution day, before TARGET closes (regulation EU
 * 260/2012; directive 2015/2366, article 83). SWIFT money arrives after two TARGET days. ACH money arrives after one
 * Fedwire day, by the end of business. An incoming SEPA transfer is expected on the same day (SEPA Instant), an
 * incoming ACH transfer after two bank days.
 */
export const bankRails = {
  sepa: {
    currency: 'EUR',
    paysAny: false,
    times: { calendar: 'target', cutOff: 15 * 60, days: 1, arrives: 18 * 60 },
    receives: {
      settlementDays: 0,
      fields: [
        { name: 'iban', label: 'IBAN', isRight: iban => isIban(iban) && isSepaIban(iban), print: formatIban },
        { name: 'bic', label: 'BIC', isRight: isBic },
      ],
      ...commonReference,
      qrOf: epcQr,
    },
  },
  swift: {
    currency: 'USD',
    paysAny: true,
    times: { calendar: 'target', cutOff: 15 * 60, days: 2, arrives: 18 * 60 },
    receives: null,
  },
  ach: {
    currency: 'USD',
    paysAny: false,
    times: { calendar: 'fedwire', cutOff: 16 * 60 + 45, days: 1, arrives: 17 * 60 },
    receives: {
      settlementDays: 2,
      fields: [
        { name: 'routing_number', label: 'Routing number', isRight: isRoutingNumber },
        { name: 'account_number', label: 'Account number', isRight: text => /^[0-9]{4,17}$/.test(text) },
        { name: 'account_type', label: 'Account type', isRight: text => text === 'Checking', copyable: false },
      ],
      ...commonReference,
      qrOf: () => null,
    },
  },
} as const satisfies Readonly<Record<string, BankRailRow>>;

/** A rail of the table. */
export type BankRailId = keyof typeof bankRails;

/** A rail by which payers can send money. */
export type ReceivingRailId = {
  [Id in BankRailId]: (typeof bankRails)[Id]['receives'] extends null ? never : Id;
}[BankRailId];

/** The rails by which payers can send money. */
export const receivingRails = (Object.keys(bankRails) as BankRailId[]).filter(
  (id): id is ReceivingRailId => bankRails[id].receives !== null,
);

/** One field of the bank's transfer form. `name` is stable, `label` is English. */
interface InstructionRow {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly copyable: boolean;
}

/** How to transfer to the merchant's account at the rail. */
export interface TransferInstructions {
  readonly rows: readonly InstructionRow[];
  readonly qr: TransferQr | null;
}

/**
 * The instructions for a transfer: account holder, the rail's fields, reference and amount. Throws RangeError for an
 * account with a missing or wrong field, because money sent to it would be lost.
 */
export function transferInstructions(id: ReceivingRailId, form: TransferForm): TransferInstructions {
  const { currency, receives } = bankRails[id];
  const fields: readonly AccountField[] = receives.fields;
  const account = fields.map(({ name, label, isRight, print = value => value, copyable = true }) => {
    const value = form.account[name] ?? '';
    if (!isRight(value)) throw new RangeError(`the account at ${id} has a wrong ${name}`);
    return { name, label, value: print(value), copyable };
  });
  const row = (name: string, label: string, value: string) => ({ name, label, value, copyable: true });
  const amount = form.amount === null ? [] : [row('amount', `Amount in ${currency}`, formatUnits(form.amount, 2))];
  const rows = [
    row('account_holder', 'Account holder', form.payee),
    ...account,
    row('reference', 'Reference', form.reference),
    ...amount,
  ];
  return { rows, qr: receives.qrOf(form) };
}
