import { html, nothing } from 'lit';
import type { Payment, ReceivedPart } from '../../api/payment.ts';
import { partName } from '../../core/locale/part-name.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { type CheckoutContext, localeOf } from '../checkout-context.ts';
import type { Row } from '../controls/rows.ts';
import { assetText, decimalsOf, moneyText } from '../money-text.ts';
import { outcomeStrings } from '../strings/en/outcome.ts';

const stringsOf = ({ strings }: CheckoutContext) => strings.parts?.outcome ?? outcomeStrings;

/** Decimals of an asset on Stellar. */
const assetDecimals = 7;

/**
 * Rows about each part of the received money: its method and its amount as sent. A crypto part also has a row with its
 * transaction. If one part in the payment's currency paid everything, its amount is omitted: the view already shows it.
 */
export function partRows(context: CheckoutContext, payment: Payment): Row[] {
  const { received = [], method, card } = payment;
  const strings = stringsOf(context);
  // Money in an asset that was not asked for does not count.
  const counted = received.filter(({ credited }) => credited > 0);
  const [first, ...others] = counted;
  // An older service without `received` names only the method and the card.
  const only = first ?? (method && { method, card, rail: null, chain: null, asset: '' });
  const isShown = !only?.asset || only.asset === payment.currency;
  if (only && others.length === 0 && only.chain === null && isShown)
    return [{ label: strings.with, value: nameOf(only, payment, strings) }];
  return counted.flatMap(part => {
    const { tx_hash: hash } = part;
    const { transaction } = strings;
    const value = amountText(context, part);
    const row = { label: nameOf(part, payment, strings), value };
    const name = `${transaction} · ${value}`;
    if (!hash) return [row];
    // The service redirects to the network's explorer. The URL of the payment's page authenticates the payer.
    const page = parseWebAddress(payment.checkout_url);
    const href = page && part.chain ? `${page.href}/transactions/${hash}` : '';
    return [row, { label: transaction, value: hash, copy: hash, name, href, code: true, folded: true }];
  });
}

/** The name of a part, with the last digits of a card or of the phone that paid. */
function nameOf(
  part: Parameters<typeof partName>[0],
  { mobile_money: wallet }: Payment,
  { method }: typeof outcomeStrings,
): string {
  const name = partName(part, method);
  if (part.method === 'mobile_money' && wallet) return `${name} · •••${wallet.number.slice(-3)}`;
  return part.card ? `${method.card} · ${name}` : name;
}

function amountText(context: CheckoutContext, { chain, asset, amount }: ReceivedPart): string {
  const locale = localeOf(context);
  if (chain !== null) return assetText(amount, asset, locale, assetDecimals);
  const [units = '', decimals = ''] = amount.split('.');
  return moneyText(Number(units + decimals.padEnd(decimalsOf(asset), '0')), asset, locale);
}

/**
 * A link to the payment's receipt as PDF. The URL of the payment's page authenticates the payer, so the link needs no
 * secret. An invoice has its own receipts, on its page and by mail.
 */
export function receiptLink(context: CheckoutContext, { checkout_url: page, invoice }: Payment): unknown {
  const url = parseWebAddress(page);
  if (!url || invoice) return nothing;
  url.pathname += '/receipt';
  return html`<p class="contact" part="receipt">
    <a href=${url.href} target="_blank" rel="noopener">${stringsOf(context).receipt}</a>
  </p>`;
}
