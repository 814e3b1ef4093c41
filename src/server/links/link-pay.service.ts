import type { LinkChoice, PayPaymentLink } from '../../api/link.ts';
import type { CreatePayment } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { AnswerCreation } from '../payments/checkout/payment-create.routes.ts';
import { type DraftPayment, draftPayment } from '../payments/checkout/payment-create.service.ts';
import { assertRedirect } from '../payments/checkout/redirect.ts';
import type { PaymentDeps, PaymentRouteDeps } from '../payments/payment-deps.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { RateLimiter } from '../platform/http/access/rate-limit.ts';
import { rateUnit } from '../rates/rates.ts';
import { type LinkRow, linkOwner, stateOf } from './link.ts';
import { assertChosen, assertFixed, currenciesOf, type Exchange, exchangedChoice, ownChoice } from './link-amount.ts';
import { refusalOf } from './link-refusal.ts';

/**
 * What payers may pay, one entry a currency, the link's own first; empty where the amount stands. A currency without a
 * sound rate just now is left out.
 */
export async function choicesOf(deps: Pick<PaymentDeps, 'rates'>, link: LinkRow): Promise<LinkChoice[]> {
  const own = ownChoice(link);
  if (own === null) return [];
  const others = currenciesOf(link).slice(1);
  const choices = await Promise.allSettled(others.map(currency => choiceIn(deps, link, own, currency)));
  return [own, ...choices.flatMap(choice => (choice.status === 'fulfilled' ? [choice.value] : []))];
}

/** Throws `rate_unavailable` when no sound rate is known. */
async function choiceIn(
  deps: Pick<PaymentDeps, 'rates'>,
  link: LinkRow,
  own: LinkChoice,
  currency: string,
): Promise<LinkChoice> {
  return currency === link.currency ? own : exchangedChoice(own, currency, await exchangeOf(deps, link, currency));
}

/** Both currencies are priced in what the link is settled in: whatever is paid, the merchant gets about the same. */
async function exchangeOf(deps: Pick<PaymentDeps, 'rates'>, link: LinkRow, currency: string): Promise<Exchange> {
  const unit = rateUnit(deps.rates.asset(link.settlement_asset, 'settlement_asset'));
  const [own, other] = await Promise.all([deps.rates.find(link.currency, unit), deps.rates.find(currency, unit)]);
  return {
    numerator: own.rate.numerator * other.rate.denominator,
    denominator: own.rate.denominator * other.rate.numerator,
  };
}

/**
 * The payment that a payer asks of a link, drafted; nothing is written yet. Throws what keeps the link from being paid
 * (`link_expired`, `link_used` …), `amount_out_of_range`, or what is wrong with the payer's words.
 */
export async function draftLinkPayment(
  deps: PaymentDeps,
  caller: Caller,
  link: LinkRow,
  body: PayPaymentLink,
): Promise<DraftPayment> {
  const state = stateOf(link, caller.now);
  if (state !== 'open') throw refusalOf(state);
  const { amount, currency } = await chosenAmount(deps, link, body);
  const isWhole = amount === link.amount;
  const payment: CreatePayment = {
    ...{ amount: Number(amount), currency, customer: body.customer, metadata: link.metadata },
    ...{ settlement_asset: link.settlement_asset, settlement_network: 'stellar' },
    payment_methods: link.payment_methods,
    ...given('description', link.description),
    ...given('reference', link.reference),
    ...given('line_items', isWhole ? link.line_items : null),
    ...given('locale', link.locale),
    ...given('settlement_address', link.settlement_address),
    ...given('redirect_url', redirectOf(link, caller)),
  };
  return await draftPayment(deps, caller, payment, linkOwner(link.id));
}

function given<Name extends string, Value>(name: Name, value: Value | null): { readonly [name in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { readonly [name in Name]: Value });
}

async function chosenAmount(deps: PaymentDeps, link: LinkRow, body: PayPaymentLink) {
  const currency = body.currency?.toUpperCase() ?? link.currency;
  const own = ownChoice(link);
  const known = own === null || link.allow_partial ? [link.currency] : currenciesOf(link);
  if (!known.includes(currency)) {
    const message = `This link is paid in ${known.join(' or ')}, not in ${currency}.`;
    throw new PayError('invalid_currency', message, { param: 'currency' });
  }
  if (own === null) return { amount: assertFixed(body.amount, link), currency };
  const chosen = body.amount ?? (link.allow_partial ? (own.max ?? undefined) : undefined);
  const choice = await choiceIn(deps, link, own, currency);
  return { amount: assertChosen(chosen, choice), currency };
}

/** Where payers are led on to; nowhere any more when the merchant has taken the place off its list. */
function redirectOf(link: LinkRow, { merchant, livemode }: Caller): string | null {
  if (link.redirect_url === null) return null;
  try {
    assertRedirect(link.redirect_url, merchant, livemode, 'redirect_url');
    return link.redirect_url;
  } catch {
    return null;
  }
}

/** What the links module is given by the composition root. */
export interface LinkDeps extends PaymentRouteDeps {
  /** Writes a payment that was drafted, and answers the request that asked for it. */
  readonly answerCreation: AnswerCreation;
  /** By network and link: payments that are begun without a key. */
  readonly starts: RateLimiter;
}
