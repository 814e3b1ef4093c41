import type { MobileMoneyOption, Payment } from '../../../src/api/payment.ts';
import { exampleNow, paidPayment, receivedPart } from './example-payment.ts';

const names: Readonly<Record<string, string>> = { mtn: 'MTN MoMo', airtel: 'Airtel Money', wave: 'Wave' };

/** Country, calling code, and the amount in the country's currency for €128.40. */
const places = {
  UG: ['256', 529_300, 'UGX'],
  KE: ['254', 1_798_000, 'KES'],
  CI: ['225', 84_230, 'XOF'],
} as const;

export function exampleOperator(
  provider: string,
  country: keyof typeof places,
  prefixes: readonly string[],
): MobileMoneyOption {
  const [calling_code, amount, currency] = places[country];
  const name = names[provider] ?? provider;
  return { provider, name, country, calling_code, prefixes: [...prefixes], amount, currency, min: 500, max: 5_000_000 };
}

/** Two operators in Uganda, one in Kenya, one in Côte d’Ivoire. */
export const exampleOperators: readonly MobileMoneyOption[] = [
  exampleOperator('mtn', 'UG', ['76', '77', '78', '39']),
  exampleOperator('airtel', 'UG', ['70', '74', '75']),
  exampleOperator('airtel', 'KE', ['73', '78']),
  exampleOperator('wave', 'CI', ['01', '05', '07']),
];

/** A payment whose prompt ends in two minutes. */
export function promptedPayment(
  operators = exampleOperators,
  provider = 'mtn',
  number = '+256772123456',
): Partial<Payment> {
  const { amount = 0, currency = '' } = operators.find(each => number.startsWith(`+${each.calling_code}`)) ?? {};
  const expires_at = new Date(exampleNow + 120_000).toISOString();
  return {
    phase: 'requires_action',
    method: 'mobile_money',
    next_action: { type: 'phone_prompt', provider, number, amount, currency, expires_at },
    open_prompt: { provider, number: `•••${number.slice(-3)}`, amount, currency, expires_at },
  };
}

/** The payment after a refused or expired prompt. */
export const refusedPrompt = (code: string): Partial<Payment> => ({
  phase: 'awaiting_payer',
  next_action: null,
  open_prompt: null,
  last_attempt: { method: 'mobile_money', code, message: 'The operator took nothing. Try again.' },
});

/** The payment after an approval, as payers see it. */
export const paidByPhone = (): Partial<Payment> =>
  paidPayment({
    method: 'mobile_money',
    mobile_money: { provider: 'mtn', number: '•••456' },
    next_action: null,
    open_prompt: null,
    received: [receivedPart({ method: 'mobile_money', rail: 'mtn', asset: 'UGX', amount: '529300' })],
  });
