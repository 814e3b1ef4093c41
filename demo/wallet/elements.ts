import { type Child, h, icon } from '../shop/dom.ts';
import { codeOf, shortText } from './amount-text.ts';

/** A button. `main` marks the primary action of a screen. */
export function button(
  look: 'main' | 'quiet' | 'text',
  label: Child[] | string,
  onclick: () => void,
): HTMLButtonElement {
  return h('button', { type: 'button', class: `button ${look}`, onclick }, ...[label].flat());
}

/** The round icon of an asset. */
export function assetSign(asset: string): HTMLElement {
  const signs: Readonly<Record<string, string>> = { XLM: 'X', USDC: '$', EURC: '€', NGNC: '₦', BRLC: 'R$' };
  const code = codeOf(asset);
  return h('span', { class: 'sign', 'data-code': code, 'aria-hidden': 'true' }, signs[code] ?? code.charAt(0));
}

/** The text of a row: name and amount, and a line below. */
export function rowText(name: string, amount: HTMLElement, below: Child): HTMLElement[] {
  return [h('span.row-top', h('strong', name), amount), h('span.row-line.third', below)];
}

/** A row of a list of facts. */
export function fact(label: string, ...value: Child[]): HTMLElement {
  return h('div.fact', h('dt', label), h('dd', ...value));
}

/** A panel with a bold first sentence. */
export function note(tone: 'plain' | 'good' | 'warn' | 'bad', first: string, rest = '', ...more: Child[]): HTMLElement {
  const role = tone === 'bad' ? 'alert' : tone === 'plain' ? null : 'status';
  return h(
    'div',
    { class: `note ${tone}`, role },
    h('p', h('strong', first), rest === '' ? null : ` ${rest}`),
    ...more,
  );
}

/** A text with a copy button. */
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
  return h('span.copyable', h('code', { title: text }, shown), copy, said);
}

/** The head of a screen, with a link back. The heading takes the focus, so that a screen reader starts there. */
export function screenHead(title: string): HTMLElement {
  const heading = h('h1', { tabindex: -1 }, title);
  queueMicrotask(() => heading.focus());
  return h(
    'div.screen-head',
    h('a', { class: 'back', href: '#', 'aria-label': 'Back to the wallet' }, icon(walletIcons.back)),
    heading,
  );
}

/** A placeholder of the size of the coming content. */
export function skeleton(lines: number): HTMLElement {
  return h('div', { class: 'skeleton', 'aria-hidden': 'true' }, ...Array.from({ length: lines }, () => h('span')));
}

/** Runs the work of a button while the button is disabled. */
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

/** SVG paths of the wallet's icons. */
export const walletIcons = {
  send: 'M5.5 14.5 14.5 5.5M7.5 5.5h7v7',
  receive: 'M14.5 5.5 5.5 14.5M12.5 14.5h-7v-7',
  scan: 'M3 7V4.5A1.5 1.5 0 0 1 4.5 3H7M13 3h2.5A1.5 1.5 0 0 1 17 4.5V7M17 13v2.5a1.5 1.5 0 0 1-1.5 1.5H13M7 17H4.5A1.5 1.5 0 0 1 3 15.5V13M6 10h8',
  picture:
    'M4.5 3.5h11a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1ZM4 14l3.5-3.5 3 3 2-2L16 15M12.5 7.5h.01',
  copy: 'M7 7V4.5A1.5 1.5 0 0 1 8.5 3h7A1.5 1.5 0 0 1 17 4.5v7a1.5 1.5 0 0 1-1.5 1.5H13M4.5 7h7A1.5 1.5 0 0 1 13 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 15.5v-7A1.5 1.5 0 0 1 4.5 7Z',
  done: 'm4.5 10.5 3.5 3.5 7.5-8',
  plus: 'M10 4v12M4 10h12',
  back: 'M12.5 4.5 7 10l5.5 5.5',
  shield: 'M10 2.5 16 5v4.5c0 4-2.5 6.5-6 8-3.5-1.5-6-4-6-8V5l6-2.5ZM7.5 10l2 2 3.5-4',
  warning:
    'M10 7v4M10 14h.01M8.7 3.3 2.2 14.7a1.5 1.5 0 0 0 1.3 2.3h13a1.5 1.5 0 0 0 1.3-2.3L11.3 3.3a1.5 1.5 0 0 0-2.6 0Z',
} as const;
