import { PayError } from '../../core/error.ts';
import { merchantCaller } from '../platform/http/access/caller.ts';
import { prepareReservation, priceTrade, type Trade } from './quote.service.ts';
import { type DueRamp, findTerms, lockRamp } from './ramp.store.ts';
import { changeRamp } from './ramp.ts';
import { priceColumns, questionOf } from './ramp-create.service.ts';
import type { RampDeps } from './ramp-deps.ts';
import { pricedColumns } from './ramp-money.ts';
import { draftRampPayment } from './ramp-payment.ts';
import type { RampQuoteRow, RampRow } from './tables.ts';
import { passGate } from './terms/limit.service.ts';

/**
 * Lets a ramp begin whose customer was approved. An ended price is replaced by one of now, for the same amount of money.
 * Ends a ramp whose time to pay is over, or that is not possible any more.
 */
export async function continueRamp(deps: RampDeps, claimed: DueRamp): Promise<void> {
  const merchant = await deps.findMerchant(claimed.merchant_id);
  const caller = merchantCaller({ merchant, livemode: claimed.livemode, now: claimed.clock });
  const { now } = caller;
  const terms = await findTerms(deps.db, claimed.merchant_id);
  const sessionEnd = claimed.created_at.getTime() + merchant.sessionSeconds * 1000;
  try {
    const isOver = now.getTime() >= sessionEnd;
    if (isOver) throw new PayError('payment_expired', 'The identity check was not passed in time.');
    const isFirm = now < claimed.price_expires_at;
    const quote = await priceTrade(deps, caller, terms, tradeOf(claimed));
    const ramp = isFirm ? claimed : { ...claimed, ...repriced(claimed, quote) };
    const reserve = await prepareReservation(deps, { ...quote, coins: ramp.amount_out });
    const payment = await draftRampPayment(deps, caller, ramp);
    await deps.db.transaction().execute(async tx => {
      // An approval that comes now waits for the row, and then makes it due.
      const row = await lockRamp(tx, claimed.merchant_id, claimed.id);
      const gate = await passGate(deps, tx, terms, questionOf(ramp, now));
      if (row.status !== 'incomplete' || row.version !== claimed.version) return;
      if (gate.tier_needed !== null) {
        await changeRamp(tx, deps, row, {
          set: { ...gate, due_at: new Date(sessionEnd) },
          events: ['ramp.updated'],
          now,
        });
        return;
      }
      await reserve(tx);
      const opened = await payment.open(tx);
      const price = isFirm ? {} : repriced(claimed, quote);
      const set = { ...price, ...gate, ...opened.set, due_at: null };
      await changeRamp(tx, deps, row, { to: 'pending_user_transfer_start', set, now });
      await opened.insert();
    });
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    const isPassing = error.code === 'no_liquidity' || error.status === 503;
    // Without coins or a rate, the ramp waits for the end of its lease.
    if (!isPassing) await end(deps, claimed, error);
  }
}

/** The amount that the customer has named stays: the money of a purchase, the coins of a sale. */
function tradeOf({ direction, currency, asset, method, amount_in, amount_out }: DueRamp): Trade {
  const isOn = direction === 'on';
  const given = { money: isOn ? amount_in : null, coins: isOn ? null : amount_out };
  return { direction, currency, asset, method, ...given };
}

/** The columns of the ramp at a new price. */
function repriced(row: DueRamp, quote: RampQuoteRow): Partial<RampRow> & Pick<RampRow, 'amount_in' | 'amount_out'> {
  const priced = { ...row, ...priceColumns(quote), amount_in: quote.gross, amount_out: quote.coins };
  const { amount_in, amount_out } = priced;
  const { amount_fee } = pricedColumns(priced);
  return { ...priceColumns(quote), amount_in, amount_out, amount_fee };
}

async function end(deps: RampDeps, claimed: DueRamp, { code, message }: PayError): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const row = await lockRamp(tx, claimed.merchant_id, claimed.id);
    if (row.status !== 'incomplete') return;
    const set = { failure_code: code, failure_message: message, due_at: null };
    await changeRamp(tx, deps, row, { to: 'expired', set, now: claimed.clock });
  });
}
