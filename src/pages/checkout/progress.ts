import type { Payment } from '../../api/payment.ts';
import { lengthClass } from '../../core/locale/length-class.ts';
import { returnAddress } from '../../core/return-address.ts';
import { decimalText, moneyFormat } from '../minor-units.ts';

/** Time in ms for which the page shows the result before it returns to the shop. */
const lookMs = 6_000;

/**
 * Shows the state of the payment. After a success or an authorization, returns to the payment's `redirect_url`, if
 * there is one.
 */
export function show(checkout: HTMLElement, payment: Payment, isSuccess: boolean): void {
  showDue(payment);
  // An authorized payment is pending until the merchant takes the money, but the payer has nothing more to do.
  const isAuthorized = payment.phase === 'authorized';
  if (payment.status === 'pending' && !isAuthorized) return;
  checkout.setAttribute('data-over', '');
  // The page stays after an exception such as an overpayment, because the payer must be able to read about it.
  if (payment.exception || !(isAuthorized || isSuccess)) return;
  const way = returnAddress(payment.redirect_url, payment);
  const leaving = document.querySelector<HTMLElement>('.leaving');
  if (way && leaving) leaveSoon(leaving, way);
}

/**
 * Shows an amount in large type: after a partial payment the remaining amount, after a completion with less than the
 * full amount the received amount, otherwise the full amount. For a partial payment, the order shows both parts.
 */
function showDue(payment: Payment): void {
  const left = payment.amount - payment.amount_received;
  const isPart = payment.status === 'pending' && left > 0 && left < payment.amount;
  const isShort = payment.completed_at && left > 0;
  const text = moneyOf(payment, isPart ? left : isShort ? payment.amount_received : payment.amount);
  showInOrder('received', payment, isPart ? -payment.amount_received : null);
  showInOrder('due', payment, isPart ? left : null);
  const headline = document.querySelector<HTMLElement>('.amount');
  const figure = headline?.querySelector('bdi');
  if (!headline || !figure) return;
  headline.hidden = false;
  figure.textContent = text;
  headline.className = `amount ${lengthClass(text)}`;
  headline.querySelector('small')?.remove();
  if (!isPart) return;
  const note = document.createElement('small');
  note.textContent = headline.dataset['due'] ?? '';
  headline.append(' ', note);
}

/**
 * Fills in a row of the order. Hides the row if there is no amount. Also hides the row if the order's total is not the
 * payment's amount: the order of a link may be larger than the payment.
 */
function showInOrder(name: 'received' | 'due', payment: Payment, amount: number | null): void {
  const order = document.querySelector<HTMLElement>('.order');
  const row = order?.querySelector<HTMLElement>(`.${name}`);
  const figure = row?.querySelector('dd bdi');
  if (!row || !figure) return;
  row.hidden = !amount || order?.dataset['total'] !== `${payment.amount}`;
  if (amount) figure.textContent = moneyOf(payment, amount);
}

function moneyOf({ currency }: Payment, amount: number): string {
  const decimals = Number(document.querySelector<HTMLElement>('.amount')?.dataset['decimals'] ?? 2);
  const format = moneyFormat(document.documentElement.lang, currency, decimals);
  return format.format(decimalText(amount, decimals) as Intl.StringNumericLiteral).replace('-', '\u2212');
}

/** Announces the return to the shop. Returns after `lookMs`, unless the payer acts before. */
function leaveSoon(notice: HTMLElement, way: URL): void {
  const stay = document.createElement('button');
  stay.type = 'button';
  stay.textContent = notice.dataset['stay'] ?? '';
  notice.replaceChildren(`${notice.dataset['leaving']} `, stay);
  const busy = new AbortController();
  const timer = setTimeout(() => location.assign(way), lookMs);
  const cancel = () => {
    clearTimeout(timer);
    busy.abort();
    notice.replaceChildren();
  };
  // A click by assistive technology may have no pointer or key events.
  for (const type of ['pointerdown', 'keydown', 'click', 'copy']) {
    addEventListener(type, cancel, { signal: busy.signal });
  }
}
