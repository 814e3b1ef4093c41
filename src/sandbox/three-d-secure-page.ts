import { cardBrands } from '../core/card/card-number.ts';
import { currencyDecimals } from '../core/currency.ts';
import { escapeHtml } from '../core/escape-html.ts';
import { formatUnits } from '../core/money.ts';
import type { CardChallenge } from './cardholder.ts';

const icon = (paths: string) =>
  `<svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`;
const bankIcon = icon('<path d="M4 10 12 5l8 5M5.5 10v7M10 10v7M14 10v7M18.5 10v7M4 19.5h16"/>');
const tickIcon = icon('<path d="m6 12.5 4 4 8-9"/>');
const crossIcon = icon('<path d="m7 7 10 10M17 7 7 17"/>');

/** Maximum characters of an amount in the normal font size. A longer amount gets a smaller size to fit a phone. */
const roomyAmount = 12;

/** The page of an open challenge. Answers are form buttons, which work without scripts, in a frame and in a popup. */
export function challengePage(challenge: CardChallenge): string {
  const payee = `<bdi>${escapeHtml(challenge.payee)}</bdi>`;
  const amount = amountText(challenge);
  return page(
    'Confirm your payment',
    `<h1>Confirm your payment</h1>
<p class="lead">${payee} asks your bank to approve this card payment.</p>
<p class="${amount.length > roomyAmount ? 'amount long' : 'amount'}">${escapeHtml(amount)}</p>
<dl>
<div><dt>To</dt><dd>${payee}</dd></div>
<div><dt>Card</dt><dd>${escapeHtml(cardText(challenge))}</dd></div>
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
  declined: { icon: crossIcon, tone: 'calm', title: 'Declined', text: 'Nothing was taken.' },
  closed: { icon: crossIcon, tone: 'calm', title: 'Closed', text: 'Nothing was taken.' },
  canceled: {
    icon: crossIcon,
    tone: 'calm',
    title: 'Called off',
    text: 'This payment was called off before you confirmed it. Nothing was taken.',
  },
} as const;

/**
 * The page after the answer. It forwards the payer by a meta refresh, because `form-action 'self'` blocks a redirect to
 * the return URL's origin. If the payment was canceled, the payer stays on this page to read the reason.
 */
export function decidedPage(challenge: CardChallenge): string {
  if (challenge.state === 'open') return challengePage(challenge);
  const ending = endings[challenge.state];
  const url = escapeHtml(new URL(challenge.returnUrl).href);
  const refresh = challenge.state === 'canceled' ? '' : `<meta http-equiv="refresh" content="0;url=${url}">`;
  return page(
    ending.title,
    `<div class="mark ${ending.tone}">${ending.icon}</div>
<h1 class="center">${ending.title}</h1>
<p class="lead center">${ending.text}</p>
<a class="main" href="${url}"><span>Back to <bdi>${escapeHtml(challenge.payee)}</bdi></span></a>`,
    refresh,
  );
}

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

/** The style sheet of the 3-D Secure page, with the product's colours in light and dark. */
export const threeDSecureStyle = `:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --ink: #10151d; --second: #4c5665; --third: #687282; --line: #e3e7ec;
  --accent: #2f5bea; --accent-ink: #fff; --soft: #eef2ff; --good: #0f7a4b; --good-soft: #e7f6ee;
  --shadow: 0 1px 2px #10151d0d, 0 12px 32px #10151d14;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0c0f14; --card: #151a21; --ink: #f1f4f8; --second: #b3bdca; --third: #8d98a7; --line: #28303b;
    --accent: #7d9bff; --accent-ink: #0b1020; --soft: #1b2440; --good: #55d19a; --good-soft: #10281e;
    --shadow: none;
  }
}
@media (prefers-contrast: more) {
  :root { --second: var(--ink); --third: var(--ink); --line: var(--third); }
}
* { box-sizing: border-box; margin: 0; }
html { background: var(--page); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 16px;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: var(--ink); overflow-wrap: anywhere;
}
main {
  width: 100%; max-width: 412px; padding: 20px; background: var(--card); border: 1px solid var(--line);
  border-radius: 20px; box-shadow: var(--shadow);
}
.bank { display: flex; align-items: center; gap: 12px; font-weight: 650; }
.logo, .mark { display: grid; place-items: center; color: var(--accent); background: var(--soft); }
.logo { width: 40px; height: 40px; border-radius: 10px; }
.test {
  margin-inline-start: auto; padding: 2px 10px; border: 1px solid var(--line); border-radius: 999px;
  font-size: 13px; font-weight: 400; color: var(--second); white-space: nowrap;
}
h1 { margin-top: 24px; font-size: 20px; line-height: 1.25; font-weight: 650; }
.lead { margin-top: 4px; color: var(--second); }
.amount {
  margin-top: 16px; font-size: 38px; line-height: 1.15; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums;
}
.amount.long { font-size: 26px; }
dl { margin-top: 16px; border: 1px solid var(--line); border-radius: 12px; }
dl > div { display: flex; justify-content: space-between; gap: 16px; padding: 12px 16px; }
dl > div + div { border-top: 1px solid var(--line); }
dt { flex: none; color: var(--third); }
dd { text-align: end; font-variant-numeric: tabular-nums; }
form { display: grid; gap: 8px; margin-top: 20px; }
button, a.main {
  display: grid; place-items: center; width: 100%; min-height: 48px; padding: 8px 16px; border: 1px solid var(--line);
  border-radius: 12px; background: transparent; color: var(--ink); font: inherit; font-weight: 650;
  text-align: center; text-decoration: none; cursor: pointer;
}
button.main, a.main { min-height: 52px; border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
button.quiet { min-height: 44px; border-color: transparent; color: var(--second); font-weight: 400; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (hover: hover) {
  button:hover { border-color: var(--third); }
  button.main:hover, a.main:hover { filter: brightness(1.06); border-color: var(--accent); }
  button.quiet:hover { border-color: transparent; text-decoration: underline; }
}
.mark { width: 56px; height: 56px; margin: 32px auto 0; border-radius: 50%; }
.mark.good { color: var(--good); background: var(--good-soft); }
.mark.calm { color: var(--second); background: var(--page); }
.center { text-align: center; }
h1.center { margin-top: 16px; }
a.main { margin-top: 24px; }
.note { margin-top: 16px; font-size: 13px; color: var(--third); text-align: center; }
`;
