import { h } from '../shop/dom.ts';
import { codeOf } from './amount-text.ts';
import { isAmount } from './sep7-link.ts';
import type { Wallet } from './wallet-store.ts';

/** Asks how much, and of what where the link leaves that open too. */
export function amountForm(
  wallet: Wallet,
  asset: string | null,
  onSaid: (said: { readonly asset: string; readonly amount: string }) => void,
): HTMLElement {
  const amount = h('input', {
    ...{ id: 'amount', name: 'amount', required: true, inputmode: 'decimal', autocomplete: 'off', placeholder: '0.00' },
    'aria-describedby': 'amount-wrong',
  });
  const wrong = h('p', { class: 'wrong', id: 'amount-wrong', role: 'alert' });
  const held = asset === null ? (wallet.state().account?.holdings.map(holding => holding.asset) ?? ['XLM']) : [asset];
  const choice = h(
    'select',
    { id: 'asset', name: 'asset' },
    ...held.map(name => h('option', { value: name }, codeOf(name))),
  );
  const form = h(
    'form',
    { class: 'field', novalidate: true },
    h('label', { for: 'amount' }, 'How much?'),
    h('span', { class: 'field-line' }, amount, h('label', { for: 'asset', class: 'hidden' }, 'Of what?'), choice),
    wrong,
    h('button', { type: 'submit', class: 'button main' }, 'Continue'),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    const text = amount.value.trim();
    const isFine = isAmount(text);
    wrong.textContent = isFine ? '' : 'Write a number such as 12.50, with at most seven decimals.';
    amount.setAttribute('aria-invalid', String(!isFine));
    if (isFine) onSaid({ asset: choice.value, amount: text });
    else amount.focus();
  });
  return form;
}
