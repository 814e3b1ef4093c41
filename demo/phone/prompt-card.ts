import { moneyText } from '../../src/core/locale/locale-format.ts';
import { mobileMoneyNames } from '../../src/core/mobile-money/names.ts';
import { h } from '../shop/dom.ts';
import { button, whileBusy } from '../wallet/elements.ts';
import type { Answer, Prompt } from './phone-api.ts';

/** A prompt on the screen. */
export interface PromptCard {
  readonly prompt: Prompt;
  readonly element: HTMLElement;
  /** Shows the seconds until the prompt ends. */
  tick(secondsLeft: number): void;
}

/** The amount of a prompt, for people. */
export function sumOf({ amount, currency }: Prompt): string {
  return moneyText(BigInt(amount), currency, 'en');
}

/** Creates the card of a prompt. `answer` sends the payer's answer. */
export function promptCard(prompt: Prompt, answer: (answer: Answer) => Promise<void>): PromptCard {
  const { id, provider, payee, number } = prompt;
  const name = mobileMoneyNames[provider] ?? provider;
  const left = h('span', { class: 'left figure second' });
  const pin = pinField(id);
  const refuse = button('quiet', 'Refuse', () => void whileBusy(refuse, () => answer({ choice: 'refuse' })));
  const approve = h('button', { type: 'submit', class: 'button main' }, 'Approve');
  const form = h('form', { class: 'stack', novalidate: true }, pin.element, h('div.actions', approve, refuse));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const typed = pin.read();
    if (typed !== null) void whileBusy(approve, () => answer({ choice: 'approve', pin: typed }));
  });
  const element = h(
    'article',
    { class: 'prompt stack', 'aria-labelledby': `${id}-title` },
    h(
      'div.prompt-head',
      h('span', { class: 'sign operator', 'data-operator': provider, 'aria-hidden': 'true' }, name.charAt(0)),
      h('p.prompt-from', h('strong', name), h('span', { class: 'second', dir: 'ltr' }, number)),
      left,
    ),
    h('h2', { id: `${id}-title` }, `${payee} asks for `, h('span.large.figure', sumOf(prompt))),
    form,
  );
  return {
    prompt,
    element,
    tick: seconds => {
      left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
    },
  };
}

function pinField(id: string) {
  const input = h('input', {
    id: `${id}-pin`,
    type: 'password',
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: 20,
    'aria-describedby': `${id}-hint ${id}-wrong`,
  });
  const wrong = h('p', { class: 'wrong', id: `${id}-wrong`, role: 'alert' });
  const element = h(
    'div.field',
    h('label', { for: input.id }, 'Mobile-money PIN'),
    input,
    h('p', { class: 'third small', id: `${id}-hint` }, 'The PIN of test mode is 1234.'),
    wrong,
  );
  return {
    element,
    /** The typed PIN. Null if there is none, which the field then says. */
    read(): string | null {
      const isEmpty = input.value.trim() === '';
      wrong.textContent = isEmpty ? 'Enter the PIN.' : '';
      input.setAttribute('aria-invalid', String(isEmpty));
      if (isEmpty) input.focus();
      return isEmpty ? null : input.value.trim();
    },
  };
}
