import type { PaymentOptions } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Merchant } from '../merchants/merchant.ts';
import { amountOnRail } from './bank/payment-bank.service.ts';
import { framePath, issueFrameTicket } from './card/frame-ticket.ts';
import { cryptoOptions } from './crypto/crypto-options.service.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentDeps } from './payment-deps.ts';

/**
 * What the payer can choose now, each with what it costs: the methods the payment allows and the service can take.
 * Nothing of a payment that is over; no rail whose rate is not known now. With the address of the payer's account, what
 * that account holds.
 */
export async function paymentOptions(
  deps: PaymentDeps,
  merchant: Merchant,
  payment: PaymentRow,
  payerAddress?: string,
): Promise<PaymentOptions> {
  const allowed = new Set(payment.status === 'pending' ? payment.payment_methods : []);
  const due = payment.amount - payment.amount_received;
  const byBank = allowed.has('bank_transfer') && deps.rails.banks.length > 0;
  const card = allowed.has('card') ? cardOption(deps, merchant, payment, due) : null;
  return {
    object: 'payment_options',
    ...(card === null ? {} : { card }),
    ...(byBank ? { bank_transfer: { rails: await bankOptions(deps, payment, due) } } : {}),
    ...(allowed.has('crypto') ? { crypto: await cryptoOptions(deps, payment, payerAddress) } : {}),
  };
}

function cardOption(
  deps: PaymentDeps,
  merchant: Merchant,
  payment: PaymentRow,
  due: bigint,
): NonNullable<PaymentOptions['card']> | null {
  if (deps.rails.card === null) return null;
  const ticket = issueFrameTicket(deps.secrets, {
    merchantId: merchant.id,
    paymentId: payment.id,
    now: deps.clock.now(),
  });
  return {
    brands: [...deps.rails.card.brands],
    frame_url: `${deps.publicUrl()}${framePath(ticket)}`,
    amount: Number(due),
    currency: payment.currency,
  };
}

/** The rail of the payment's own currency first. */
async function bankOptions(deps: PaymentDeps, payment: PaymentRow, due: bigint) {
  const rails = await Promise.all(
    deps.rails.banks.map(async rail => {
      const amount = await amountOnRail(deps, payment.currency, due, rail).catch(nullWithoutRate);
      const terms = { rail: rail.id, currency: rail.currency, settlement_days: rail.settlementDays };
      return amount === null ? [] : [{ ...terms, amount: Number(amount) }];
    }),
  );
  return rails.flat().sort((a, b) => Number(b.currency === payment.currency) - Number(a.currency === payment.currency));
}

function nullWithoutRate(error: unknown): null {
  if (error instanceof PayError && error.code === 'rate_unavailable') return null;
  throw error;
}
