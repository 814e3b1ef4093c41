import { type Child, h, icon } from '../shop/dom.ts';
import { codeOf, shortText } from './amount-text.ts';
import { walletIcons } from './wallet-icons.ts';

/** A button. `look`: the one thing to do next is `main`, all others are `quiet`. */
export function button(
  look: 'main' | 'quiet' | 'text',
  label: Child[] | string,
  onclick: () => void,
): HTMLButtonElement {
  return h('button', { type: 'button', class: `button ${look}`, onclick }, ...[label].flat());
}

/** The round sign of an asset. */
export function assetSign(asset: string): HTMLElement {
  const signs: Readonly<Record<string, string>> = { XLM: 'X', USDC: '$', EURC: '€', NGNC: '₦', BRLC: 'R$' };
  const code = codeOf(asset);
  return h('span', { class: 'sign', 'data-code': code, 'aria-hidden': 'true' }, signs[code] ?? code.charAt(0));
}

/** What stands in a row beside its sign: what it is and how much on one line, and a line below. */
export function rowText(name: string, amount: HTMLElement, below: Child): HTMLElement[] {
  return [
    h('span', { class: 'row-top' }, h('strong', {}, name), amount),
    h('span', { class: 'row-line third' }, below),
  ];
}

/** A row of facts: what it is, and what it is worth. */
export function fact(label: string, ...value: Child[]): HTMLElement {
  return h('div', { class: 'fact' }, h('dt', {}, label), h('dd', {}, ...value));
}

/** A soft panel whose first words say what it is about. */
export function note(tone: 'plain' | 'good' | 'warn' | 'bad', first: string, rest = '', ...more: Child[]): HTMLElement {
  const role = tone === 'bad' ? 'alert' : tone === 'plain' ? null : 'status';
  return h(
    'div',
    { class: `note ${tone}`, role },
    h('p', {}, h('strong', {}, first), rest === '' ? null : ` ${rest}`),
    ...more,
  );
}

/** A text with a button that copies it and says so. */
export function copyable(label: string, text: string, shown = shortText(text)): HTMLElement {
  const said = h('span', { class: 'said', role: 'status' });
  const copy = h('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${label}` }, icon(walletIcons.copy));
  let timer: ReturnType<typeof setTimeout> | undefined;
  copy.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    said.textContent = isCopied ? 'Copied' : 'It could not be copied; mark the text instead.';
    copy.replaceChildren(icon(isCopied ? walletIcons.done : walletIcons.warning));
    clearTimeout(timer);
    timer = setTimeout(() => copy.replaceChildren(icon(walletIcons.copy)), 1_600);
  });
  return h('span', { class: 'copyable' }, h('code', { title: text }, shown), copy, said);
}

/** The head of a screen, with the way back to the wallet. It takes the focus, so that a screen reader begins there. */
export function screenHead(title: string): HTMLElement {
  const heading = h('h1', { tabindex: -1 }, title);
  queueMicrotask(() => heading.focus());
  return h(
    'div',
    { class: 'screen-head' },
    h('a', { class: 'back', href: '#', 'aria-label': 'Back to the wallet' }, icon(walletIcons.back)),
    heading,
  );
}

/** What stands where something is still to come, of the size that it will have. */
export function skeleton(lines: number): HTMLElement {
  return h('div', { class: 'skeleton', 'aria-hidden': 'true' }, ...Array.from({ length: lines }, () => h('span')));
}

/** Runs what a button starts, with the button still meanwhile. */
export async function whileBusy(pressed: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  pressed.disabled = true;
  pressed.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    pressed.disabled = false;
    pressed.removeAttribute('aria-busy');
  }
}
