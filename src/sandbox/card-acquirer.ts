import { isCardNumber, isExpired } from '../core/card/card-check.ts';
import { cardBrands, detectBrand, digitsOf } from '../core/card/card-number.ts';
import { addSeconds } from '../core/clock.ts';
import { PayError } from '../core/error.ts';
import { randomText } from '../core/id.ts';
import { parseWebAddress } from '../core/web-address.ts';
import type { Db } from '../server/platform/db/database.ts';
import { createGroupWriter, type GroupWriter } from '../server/platform/db/group-writer.ts';
import type {
  CaptureRequest,
  CardDetails,
  CardRail,
  ChargeOutcome,
  ChargeRequest,
  Decline,
} from '../server/rails/card-rail.ts';
import {
  type ChargeRow,
  captureCharge,
  endCharge,
  findChargeOfAttempt,
  findToken,
  insertToken,
  lockCharges,
  type StoredCharge,
  storeCharges,
} from './card-acquirer.store.ts';
import { createEventFeed, createEventWebhook, type EventSender } from './card-events.ts';
import { sandboxForm } from './card-form.routes.ts';
import { createSandboxWallets } from './card-wallets.ts';
import { type CardChallenges, type CardDisputes, createCardChallenges, createCardDisputes } from './cardholder.ts';
import { createRefunder, type Original, type RefundBook, refundOutcome } from './sandbox-refund.ts';
import { type SandboxDb, sandboxDb } from './sandbox-tables.ts';
import { behaviorNamed, behaviorOfNumber, declineMessages, fixedToken, type KnownCard } from './test-cards.ts';

interface CardAcquirerDeps {
  readonly db: Db;
  /** Acquirers of different names know only their own tokens and charges. Default: `sandbox_card`. */
  readonly id?: 'sandbox_card' | 'sandbox_hosted' | 'sandbox_wallets';
  /** Signs the events that `sandbox_hosted` sends. Other acquirers list their events. */
  readonly secret?: Buffer;
  /** The service's public URL without a trailing slash, for the 3-D Secure page. */
  readonly publicUrl: () => string;
  /** Delay of a slow capture or refund in seconds. Default: 10. */
  readonly delaySeconds?: number;
}

/** A card rail that also simulates the cardholder. */
export interface SandboxCardAcquirer extends CardRail, CardChallenges, CardDisputes, EventSender {}

interface Context {
  readonly db: SandboxDb;
  readonly rail: string;
  readonly publicUrl: () => string;
  readonly delaySeconds: number;
  /** Stores charges. Concurrent charges share one commit. */
  readonly charges: GroupWriter<ChargeRow, StoredCharge | undefined>;
}

const defaultDelaySeconds = 10;
const closedMessage = 'The bank’s page was closed before you confirmed. Nothing was taken. Try again.';
const canceledMessage = 'The payment was called off before you confirmed it with your bank. Nothing was taken.';

/**
 * Creates a card acquirer for test mode. The schema `sandbox` stores tokens and charges, so restarts keep them and all
 * replicas share them. Card numbers and security codes are never stored.
 */
export function createSandboxCardAcquirer(deps: CardAcquirerDeps): SandboxCardAcquirer {
  const delaySeconds = deps.delaySeconds ?? defaultDelaySeconds;
  const db = sandboxDb(deps.db);
  const { id: rail = 'sandbox_card', publicUrl } = deps;
  const charges = createGroupWriter<ChargeRow, StoredCharge | undefined>({
    maxBatch: 64,
    maxParallel: 2,
    keyOf: ({ token, attempt_id: attemptId }) => token ?? attemptId,
    write: batch => storeCharges(db, batch),
  });
  const context: Context = { db, rail, charges, publicUrl, delaySeconds };
  const refunds = refundBook(context);
  const refund = createRefunder(refunds);
  return {
    id: rail,
    livemode: false,
    takes: () => true,
    brands: cardBrands.map(({ brand }) => brand),
    tokenize: (card, now) => tokenize(context, card, now),
    isToken: async token => fixedToken(token) !== null || (await findToken(context, token))?.isUsed === false,
    charge: request => charge(context, request),
    chargeStatus: async (attemptId, now) => {
      const row = await findChargeOfAttempt(context, attemptId);
      return row === null ? null : outcomeOf(context, row, now);
    },
    capture: request => capture(context, request),
    cancelCharge: async attemptId => {
      await endCharge(context, attemptId);
      const state = (await findChargeOfAttempt(context, attemptId))?.state;
      return state === 'canceled' || state === 'released';
    },
    refund,
    refundStatus: (refundId, now) => refundOutcome(refunds, refundId, now),
    ...createCardChallenges(context.db),
    ...createCardDisputes(context),
    ...eventsOf(context, deps),
    ...(rail === 'sandbox_hosted' && { openForm: async request => sandboxForm(publicUrl(), request) }),
    ...(rail === 'sandbox_wallets' && { wallets: walletsOf(context) }),
  };
}

function eventsOf(context: Context, { secret }: CardAcquirerDeps): Pick<SandboxCardAcquirer, 'events' | 'takeWebhook'> {
  if (context.rail !== 'sandbox_hosted' || secret === undefined) {
    return { events: createEventFeed(context), takeWebhook: async () => null };
  }
  const events = createEventWebhook(context, secret);
  return { events, takeWebhook: events.takeWebhook };
}

async function tokenize(context: Context, card: CardDetails, now: Date) {
  const digits = digitsOf(card.number);
  const brand = detectBrand(digits);
  refuseImpossibleCard(card, brand?.cvcLength ?? null, now);
  return await keepToken(context, {
    brand: brand?.brand ?? 'unknown',
    last4: digits.slice(-4),
    expiry_month: card.expiryMonth,
    expiry_year: card.expiryYear,
    behavior: behaviorOfNumber(digits),
    created_at: now,
  });
}

async function keepToken({ db, rail }: Context, card: Omit<Parameters<typeof insertToken>[1], 'token' | 'rail'>) {
  const token = `tok_${randomText(22)}`;
  await insertToken(db, { ...card, token, rail });
  return { token, brand: card.brand, last4: card.last4 };
}

/** The wallets' cards never expire, and are always approved. */
function walletsOf(context: Context) {
  return createSandboxWallets((card, now) =>
    keepToken(context, { ...card, expiry_month: 12, expiry_year: 2099, behavior: 'approved', created_at: now }),
  );
}

const yearsAhead = 50;

function refuseImpossibleCard(card: CardDetails, cvcLength: number | null, now: Date): void {
  if (!isCardNumber(card.number)) {
    throw new PayError('incorrect_number', 'The card number is not right. Check the digits.', { param: 'number' });
  }
  const expiry = { month: card.expiryMonth, year: card.expiryYear };
  const isMonth = Number.isInteger(expiry.month) && expiry.month >= 1 && expiry.month <= 12;
  if (!isMonth || !Number.isInteger(expiry.year) || expiry.year > now.getUTCFullYear() + yearsAhead) {
    throw new PayError('invalid_expiry', 'The expiry date is not right. Enter it as on the card, for example 04/29.', {
      param: 'expiry',
    });
  }
  if (isExpired(expiry, now)) {
    throw new PayError('expired_card', 'This card has expired. Check the date, or try another card.', {
      param: 'expiry',
    });
  }
  const lengths = cvcLength === null ? [3, 4] : [cvcLength];
  if (!/^[0-9]+$/.test(card.cvc) || !lengths.includes(card.cvc.length)) {
    const message = `The security code is not right. It has ${lengths.join(' or ')} digits.`;
    throw new PayError('incorrect_cvc', message, { param: 'cvc' });
  }
}

async function charge(context: Context, request: ChargeRequest): Promise<ChargeOutcome> {
  if (parseWebAddress(request.returnUrl) === null) {
    throw new PayError('invalid_redirect_url', 'The return URL must be an absolute http or https URL.');
  }
  const card = await cardOf(context, request.token);
  const row = card === null ? refusedCharge(context, request) : chargeRow(context, request, card);
  // If another attempt has used the token, a refused charge is stored instead.
  const kept = (await context.charges.write(row)) ?? (await context.charges.write(refusedCharge(context, request)));
  if (kept === undefined) throw new Error('a refused charge was not stored');
  if (kept.isNew && card?.behavior.charge === 'unanswered' && kept.id === row.id) return { state: 'unknown' };
  return outcomeOf(context, kept, request.now);
}

interface ChargedCard extends KnownCard {
  /** The single-use token of this charge. Null for a fixed test token. */
  readonly singleUseToken: string | null;
}

async function cardOf(context: Context, token: string): Promise<ChargedCard | null> {
  const fixed = fixedToken(token);
  if (fixed !== null) return { ...fixed, singleUseToken: null };
  const row = await findToken(context, token);
  return row && { brand: row.brand, last4: row.last4, behavior: behaviorNamed(row.behavior), singleUseToken: token };
}

function chargeRow(context: Context, request: ChargeRequest, card: ChargedCard): ChargeRow {
  const { charge: manner, refund } = card.behavior;
  const isManual = request.captureMethod === 'manual';
  const row = {
    ...refusedCharge(context, request),
    token: card.singleUseToken,
    brand: card.brand,
    last4: card.last4,
    refund_behavior: refund,
    capture_behavior: captureBehaviors[manner] ?? 'captured',
  };
  if (manner === 'challenge') return { ...row, state: 'requires_action', code: null, challenge: randomText(22) };
  if (captureBehaviors[manner] === undefined) return { ...row, code: manner };
  if (isManual) return { ...row, state: 'authorized', code: null };
  return { ...row, ...captured(context, row, request.now) };
}

/**
 * The result of a capture, by the card's charge behavior. A behavior that is not listed declines the charge, or
 * requires 3-D Secure (`challenge`).
 */
const captureBehaviors: Readonly<Partial<Record<string, ChargeRow['capture_behavior']>>> = {
  captured: 'captured',
  delayed: 'delayed',
  unanswered: 'unanswered',
  uncapturable: 'declined',
};

/** The columns that a capture changes. A capture can be declined. */
function captured(context: Context, { capture_behavior: behavior }: Pick<ChargeRow, 'capture_behavior'>, now: Date) {
  if (behavior === 'declined') return { state: 'declined', code: 'card_declined', captures_at: null } as const;
  const capturesAt = behavior === 'delayed' ? addSeconds(now, context.delaySeconds) : null;
  return { state: 'captured', code: null, captures_at: capturesAt } as const;
}

async function capture(context: Context, { attemptId, amount, now }: CaptureRequest): Promise<ChargeOutcome> {
  const known = await findChargeOfAttempt(context, attemptId);
  if (known === null) return { state: 'released' };
  const columns = captured(context, known, now);
  const capturedAmount = columns.state === 'captured' ? amount : null;
  const row = await captureCharge(context, attemptId, { ...columns, captured_amount: capturedAmount });
  if (row?.capture_behavior === 'unanswered') return { state: 'unknown' };
  return outcomeOf(context, row ?? (await findChargeOfAttempt(context, attemptId)) ?? known, now);
}

/** A charge that is declined because its token is unknown, or because another attempt has used the token. */
function refusedCharge({ rail }: Context, request: ChargeRequest): ChargeRow {
  return {
    rail,
    id: `sbx_ch_${randomText(22)}`,
    attempt_id: request.attemptId,
    merchant_id: request.merchantId,
    payee: request.payee,
    token: null,
    brand: 'unknown',
    last4: '',
    amount: request.amount,
    currency: request.currency,
    state: 'declined',
    capture_method: request.captureMethod,
    captured_amount: null,
    capture_behavior: 'captured',
    captures_at: null,
    code: 'invalid_token',
    refund_behavior: 'completed',
    challenge: null,
    return_url: request.returnUrl,
    payment_id: request.paymentId,
    created_at: request.now,
  };
}

function outcomeOf(context: Context, row: ChargeRow, now: Date): ChargeOutcome {
  const charge = { railReference: row.id, brand: row.brand, last4: row.last4 };
  const declined = (code: Decline['code'], message = declineMessages[code]): ChargeOutcome => ({
    state: 'declined',
    railReference: row.id,
    decline: { code, message },
  });
  const threeDSecure = row.challenge === null ? 'not_requested' : 'authenticated';
  switch (row.state) {
    case 'authorized':
      return { state: 'authorized', threeDSecure, ...charge };
    case 'captured':
      return {
        state: isCaptured(row, now) ? 'captured' : 'capturing',
        amount: capturedAmountOf(row),
        threeDSecure,
        ...charge,
      };
    case 'released':
      return { state: 'released' };
    case 'requires_action':
      return { state: 'requires_action', url: `${context.publicUrl()}/sandbox/3ds/${row.challenge}`, ...charge };
    case 'closed':
      return declined('authentication_failed', closedMessage);
    case 'canceled':
      return declined('authentication_failed', canceledMessage);
    case 'declined':
      return declined(isDeclineCode(row.code) ? row.code : 'card_declined');
  }
}

function isCaptured(row: ChargeRow, now: Date): boolean {
  return row.state === 'captured' && (row.captures_at === null || row.captures_at <= now);
}

function capturedAmountOf(row: ChargeRow): bigint {
  return row.captured_amount ?? row.amount;
}

function isDeclineCode(code: string | null): code is Decline['code'] {
  return code !== null && Object.hasOwn(declineMessages, code);
}

function refundBook(context: Context): RefundBook {
  return {
    db: context.db,
    rail: context.rail,
    delaySeconds: context.delaySeconds,
    lockOriginals: async (tx, orders) => {
      const charges = await lockCharges(tx, context.rail, orders);
      const originals = orders.flatMap((order): [string, Original][] => {
        const row = charges.get(order.id);
        if (row === undefined) return [];
        const { currency, refund_behavior: behavior } = row;
        const isTaken = isCaptured(row, order.now);
        const failure = 'expired_or_canceled_card';
        return [[order.id, { amount: capturedAmountOf(row), currency, isCaptured: isTaken, behavior, failure }]];
      });
      return new Map(originals);
    },
  };
}
