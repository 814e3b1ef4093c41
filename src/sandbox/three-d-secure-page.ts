import { cardBrands } from '../core/card-number.ts';
import { currencyDecimals } from '../core/currency.ts';
import { formatUnits } from '../core/money.ts';
import type { CardChallenge } from './card-challenge.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? '');
}

const icon = (paths: string) =>
  `<svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`;
const bankIcon = icon('<path d="M4 10 12 5l8 5M5.5 10v7M10 10v7M14 10v7M18.5 10v7M4 19.5h16"/>');
const tickIcon = icon('<path d="m6 12.5 4 4 8-9"/>');
const crossIcon = icon('<path d="m7 7 10 10M17 7 7 17"/>');

/** An amount of more characters is set smaller, so that it stays on one line of a phone. */
const roomyAmount = 12;

/** The page that asks. Every answer is a plain form button, so it works without scripts, in a frame and in a popup. */
export function challengePage(challenge: CardChallenge): string {
  const payee = `<bdi>${escapeText(challenge.payee)}</bdi>`;
  const amount = amountText(challenge);
  return page(
    'Confirm your payment',
    `<h1>Confirm your payment</h1>
<p class="lead">${payee} asks your bank to approve this card payment.</p>
<p class="${amount.length > roomyAmount ? 'amount long' : 'amount'}">${escapeText(amount)}</p>
<dl>
<div><dt>To</dt><dd>${payee}</dd></div>
<div><dt>Card</dt><dd>${escapeText(cardText(challenge))}</dd></div>
</dl>
<form method="post">
<button class="main" name="choice" value="approve">Approve</button>
<button name="choice" value="decline">Decline</button>
<button class="quiet" name="choice" value="close">Close</button>
</form>`,
  );
}

const endings = {
  approved: { icon: tickIcon, tone: 'good', title: 'Approved', text: 'Your bank has approved the payment.' },
  declined: { icon: crossIcon, tone: 'calm', title: 'Declined', text: 'Nothing was charged.' },
  closed: { icon: crossIcon, tone: 'calm', title: 'Closed', text: 'Nothing was charged.' },
  canceled: {
    icon: crossIcon,
    tone: 'calm',
    title: 'Called off',
    text: 'This payment was called off before you confirmed it. Nothing was charged.',
  },
} as const;

/**
 * The page after the choice. It sends the payer on by a refresh, not a redirect: browsers hold redirects that follow a
 * form against the policy `form-action 'self'`, and the way back is another origin. A payment that was called off
 * waits for the payer to read that.
 */
export function decidedPage(challenge: CardChallenge): string {
  if (challenge.state === 'open') return challengePage(challenge);
  const ending = endings[challenge.state];
  const url = escapeText(new URL(challenge.returnUrl).href);
  const refresh = challenge.state === 'canceled' ? '' : `<meta http-equiv="refresh" content="0;url=${url}">`;
  return page(
    ending.title,
    `<div class="mark ${ending.tone}">${ending.icon}</div>
<h1 class="center">${ending.title}</h1>
<p class="lead center">${ending.text}</p>
<a class="main" href="${url}"><span>Back to <bdi>${escapeText(challenge.payee)}</bdi></span></a>`,
    refresh,
  );
}

/** The page of an address under which nothing is asked. */
export function unknownChallengePage(): string {
  return page(
    'Nothing to confirm',
    `<div class="mark calm">${crossIcon}</div>
<h1 class="center">Nothing to confirm</h1>
<p class="lead center">This address does not belong to a payment. Go back to the shop and try again.</p>`,
  );
}

function page(title: string, main: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Sandbox Bank</title>
<link rel="stylesheet" href="style.css">
${head}</head>
<body>
<main>
<p class="bank"><span class="logo">${bankIcon}</span><span class="name">Sandbox Bank</span><span class="test">Test mode</span></p>
${main}
<p class="note">This page plays the payer’s bank. No real bank is asked and no money moves.</p>
</main>
</body>
</html>
`;
}

function amountText({ amount, currency }: CardChallenge): string {
  const decimals = currencyDecimals(currency);
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return format.format(formatUnits(amount, decimals) as Intl.StringNumericLiteral);
}

function cardText({ brand, last4 }: CardChallenge): string {
  const label = cardBrands.find(known => known.brand === brand)?.label ?? 'Card';
  return `${label} •••• ${last4}`;
}
