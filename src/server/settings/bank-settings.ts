import { isRoutingNumber } from '../../core/bank/aba.ts';
import { isBic } from '../../core/bank/account-number.ts';
import { isIban } from '../../core/bank/iban.ts';
import { integer, nonEmpty, oneOf, optional, type Setting, type ValuesOf } from './setting.ts';

/** Settings of payouts by bank. In live mode, an account has rails if its settings and the exchange folder are set. */
export const bankSettings = {
  bankExchange: {
    name: 'PAY_BANK_EXCHANGE',
    parse: optional(nonEmpty),
    help: "Folder in which bank files are exchanged (outbox, inbox, done), on the public network only. The bank's program watches it.",
  },
  bankName: {
    name: 'PAY_BANK_NAME',
    parse: optional(nonEmpty),
    help: 'Holder of the account that pays by SEPA and SWIFT.',
  },
  bankIban: {
    name: 'PAY_BANK_IBAN',
    parse: optional(iban),
    help: 'IBAN of that account.',
  },
  bankBic: {
    name: 'PAY_BANK_BIC',
    parse: optional(bic),
    help: 'BIC of its bank.',
  },
  achRouting: {
    name: 'PAY_ACH_ROUTING',
    parse: optional(routing),
    help: 'Routing number of the US bank that takes NACHA files (ODFI).',
  },
  achBankName: {
    name: 'PAY_ACH_BANK_NAME',
    parse: optional(nonEmpty),
    help: 'Name of that bank.',
  },
  achAccount: {
    name: 'PAY_ACH_ACCOUNT',
    parse: optional(accountNumber),
    help: 'Number of the account that pays by ACH; an offset entry debits it.',
  },
  achCompanyName: {
    name: 'PAY_ACH_COMPANY_NAME',
    parse: optional(nonEmpty),
    help: 'Name of the company that pays by ACH.',
  },
  achCompanyId: {
    name: 'PAY_ACH_COMPANY_ID',
    parse: optional(companyId),
    help: 'Company identification that the bank assigned, ten characters.',
  },
  achEntryClass: {
    name: 'PAY_ACH_ENTRY_CLASS',
    parse: oneOf(['PPD', 'CCD']),
    default: 'PPD',
    help: 'PPD when people are paid by ACH, CCD when companies are.',
  },
  bankFilePause: {
    name: 'PAY_BANK_FILE_PAUSE',
    parse: integer(0, 86_400),
    default: '300',
    help: 'Seconds that a payout waits for others, so that they share a bank file. None waits beyond a cut-off.',
  },
  bankFilePayments: {
    name: 'PAY_BANK_FILE_PAYMENTS',
    parse: integer(1, 50_000),
    default: '5000',
    help: 'Most payments in one bank file.',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type BankConfig = ValuesOf<typeof bankSettings>;

const transfers = ['bankName', 'bankIban', 'bankBic'] as const;
const ach = ['achRouting', 'achBankName', 'achAccount', 'achCompanyName', 'achCompanyId'] as const;

/** The names of the missing settings of a group. */
function missingOf(config: BankConfig, fields: typeof transfers | typeof ach): string[] {
  const missing = (['bankExchange', ...fields] as const).filter(field => config[field] === null);
  return missing.map(field => bankSettings[field].name);
}

/** The names of the missing settings of each bank rail. */
export const missingBankSettings = (config: BankConfig) => ({
  sepa: missingOf(config, transfers),
  swift: missingOf(config, transfers),
  ach: missingOf(config, ach),
});

/** Problems of incomplete groups, each as `VARIABLE: problem`. */
export function bankProblems(config: BankConfig): string[] {
  const problems = [transfers, ach].flatMap(fields => {
    const given = fields.find(field => config[field] !== null);
    if (given === undefined) return [];
    return missingOf(config, fields).map(name => `${name}: is needed with ${bankSettings[given].name}`);
  });
  return [...new Set(problems)];
}

function iban(text: string): string {
  if (!isIban(text)) throw new Error('takes an IBAN with right check digits');
  return text.replace(/\s/g, '').toUpperCase();
}

function bic(text: string): string {
  if (!isBic(text)) throw new Error('takes a BIC of 8 or 11 characters');
  return text.toUpperCase();
}

function routing(text: string): string {
  if (!isRoutingNumber(text)) throw new Error('takes the nine digits of a routing number with a right check digit');
  return text;
}

function accountNumber(text: string): string {
  if (!/^[0-9A-Za-z]{1,17}$/.test(text)) throw new Error('takes up to 17 digits and letters');
  return text;
}

function companyId(text: string): string {
  if (!/^[0-9A-Za-z ]{10}$/.test(text)) throw new Error('takes ten digits and letters');
  return text;
}
