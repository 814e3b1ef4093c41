import { payeeCount, payees, totalOf, whereText } from '../payroll.ts';
import type { RunView } from '../server/payout-view.ts';
import { h, icon, icons } from './dom.ts';
import { priceText } from './order-lines.ts';
import { count, createProgress, type Progress } from './payouts-progress.ts';
import { ShopError, shopApi } from './shop-api.ts';

const lookAgainMs = 1_000;
const lookAfterFailureMs = 3_000;
/** Indexes of the people in the preview. Together they have every kind of destination. */
const sample = [0, 6, 9, 1, 8];

/** The page that pays 1,000 people. It shows the run that its address names. Only the button starts a new run. */
export function showPayouts(main: HTMLElement): void {
  const progress = createProgress();
  const wrong = h('input', { type: 'checkbox', id: 'wrong-numbers' });
  const button = h('button', { type: 'button', class: 'button' }, `Pay ${count(payeeCount)} people`);
  button.addEventListener('click', () => void pay(button, wrong.checked, progress));
  main.append(
    h('h1.page-title', `Pay ${count(payeeCount)} people`),
    h(
      'p.payouts-lead',
      'One list, one call: phones, bank accounts and Stellar wallets. All people and money are made up.',
    ),
    h('div.payouts', list(wrong, button), progress.element),
    whatHappened(),
  );
  const batch = new URLSearchParams(location.search).get('batch');
  if (batch === null) return;
  setBusy(button, true);
  progress.tell('', 'Looking for the run', 'The shop reads how far it is.');
  void look(batch, button, progress);
}

async function pay(button: HTMLElement, isWithWrongNumbers: boolean, progress: Progress): Promise<void> {
  if (button.getAttribute('aria-disabled') === 'true') return;
  setBusy(button, true);
  progress.begin();
  try {
    const run = await shopApi.payAll(isWithWrongNumbers);
    history.replaceState(null, '', `?${new URLSearchParams({ batch: run.id })}`);
    follow(run, button, progress);
  } catch (error) {
    const reason = error instanceof ShopError ? error.message : 'The shop cannot be reached.';
    progress.tell('bad', 'That did not work', `${reason} Wait a moment, then press the button again.`);
    setBusy(button, false);
  }
}

function follow(run: RunView, button: HTMLElement, progress: Progress): void {
  setBusy(button, !run.ended);
  progress.show(run);
  if (!run.ended) setTimeout(() => void look(run.id, button, progress), lookAgainMs);
}

async function look(id: string, button: HTMLElement, progress: Progress): Promise<void> {
  try {
    follow(await shopApi.run(id), button, progress);
  } catch (error) {
    if (error instanceof ShopError && error.status === 404) {
      progress.tell('bad', 'That run is gone', error.message);
      history.replaceState(null, '', location.pathname);
      setBusy(button, false);
      return;
    }
    progress.tell('warn', 'Waiting for the shop', 'The payouts go on. This page asks again every few seconds.');
    setTimeout(() => void look(id, button, progress), lookAfterFailureMs);
  }
}

/** Sets `aria-disabled`, because `disabled` would remove the focus from the button. */
function setBusy(button: HTMLElement, isBusy: boolean): void {
  button.setAttribute('aria-disabled', String(isBusy));
}

function list(wrong: HTMLElement, button: HTMLElement): HTMLElement {
  const rows = sample.flatMap(index => {
    const payee = payees[index];
    if (payee === undefined) return [];
    const person = h('th', { scope: 'row' }, payee.name, h('span.second', whereText(payee.where)));
    return h('tr', person, h('td.figure', priceText(payee.amount)));
  });
  return h(
    'section',
    { class: 'payouts-card', 'aria-labelledby': 'list-title' },
    h('h2', { id: 'list-title' }, 'The list'),
    h(
      'table.payees',
      h('thead', h('tr', h('th', { scope: 'col' }, 'Name and where'), h('th', { scope: 'col' }, 'Amount'))),
      h('tbody', ...rows),
    ),
    h('p.second', `and ${count(payeeCount - sample.length)} more`),
    h(
      'dl.totals',
      h('div.total-row.grand', h('dt', `${count(payeeCount)} people`), h('dd.figure', priceText(totalOf(payees)))),
    ),
    h('label.payouts-choice', { for: 'wrong-numbers' }, wrong, 'Add five wrong numbers, to see payouts fail'),
    button,
  );
}

const code = `const batch = await pay.payouts.bulk({
  payouts: people.map(({ name, amount, destination }, index) => ({
    amount, // cents
    currency: 'EUR',
    destination, // { type: 'mobile_money', provider: 'mtn', number: '+233…' }
    reference: \`salaries-2026-11-\${index + 1}\`,
    metadata: { name },
  })),
});`;

function whatHappened(): HTMLElement {
  const text =
    'The developer panel shows the call and its answer. Before it, the shop put test money into its balance.';
  return h(
    'details.code-note',
    { open: true },
    h('summary', icon(icons.code), 'What happens: one call'),
    h('p.second', text),
    h('pre', { class: 'code', tabindex: 0 }, code),
  );
}
