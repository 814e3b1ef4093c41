import type { PayCheckout } from '../../../src/element/pay-checkout.ts';

/**
 * Drives a checkout as a person would, by the names that a person sees or hears: for the tests of shops, and for our
 * own. It looks at no class and no id.
 */
export interface CheckoutDriver {
  readonly element: PayCheckout;
  /** All that can be read, in one line of text. */
  text(): string;
  /** The names of the ways to pay. */
  tabs(): string[];
  /** The name of the chosen one, or null. */
  chosenTab(): string | null;
  chooseTab(name: string): Promise<void>;
  /** Presses a key on what has the focus within the checkout. */
  pressKey(key: string): Promise<void>;
  /** The names of the buttons and links that can be pressed. */
  buttons(): string[];
  /** Presses the button or follows the link of that name. Throws when there is none. */
  press(name: string): Promise<void>;
  /** Types into the field with that label. */
  type(label: string, text: string): Promise<void>;
  /** The words of the choices (radios): ways to transfer, assets, what a wallet holds. */
  choices(): string[];
  /** The words of the one that is marked, or null. */
  chosen(): string | null;
  /** Marks the choice (radio) whose words begin like this. */
  mark(words: string): Promise<void>;
  /** What can be copied, by the name of its copy button: `Amount`, `Address`, `IBAN` … The text is read from the screen. */
  copyable(): Record<string, string>;
  /** Where the link of that name leads, for example the wallet link of the crypto tab; null without one. */
  link(name: string): string | null;
  /** Opens or closes what is folded under these words. */
  unfold(words: string): Promise<void>;
  /** The name of what has the focus, or null when that is elsewhere. */
  focused(): string | null;
  /** What is said at once: alerts. */
  alerts(): string[];
  /** What screen readers were told last. */
  spoken(): string;
  /** Waits until the text appears; throws with what there is instead after `withinMs`. */
  waitFor(text: string | RegExp, withinMs?: number): Promise<void>;
  /** Waits until the button or link can be pressed. */
  waitForButton(name: string, withinMs?: number): Promise<void>;
  /** Waits until everything that is under way is drawn. */
  settle(): Promise<void>;
}

const pollMs = 20;

type Find = (selector: string) => HTMLElement[];

/** A driver for an element that is in the page. */
export function createCheckoutDriver(element: PayCheckout): CheckoutDriver {
  const root = () => element.shadowRoot ?? element;
  const all: Find = selector => [...root().querySelectorAll<HTMLElement>(selector)].filter(isShown);
  const settle = async () => {
    await new Promise(done => setTimeout(done, pollMs));
    await element.updateComplete;
  };
  const readings = readingsOf(all, root);
  const { text } = readings;

  async function act(found: HTMLElement | undefined, what: string, deed: (found: HTMLElement) => void): Promise<void> {
    if (!found) throw new Error(`no ${what} in the checkout, which reads: ${text()}`);
    deed(found);
    await settle();
  }
  const press = (found: HTMLElement | undefined, what: string) => act(found, what, it => it.click());
  const waitUntil = async (isThere: () => boolean, what: string, withinMs = 3000) => {
    for (const end = performance.now() + withinMs; !isThere(); await settle()) {
      if (performance.now() > end) throw new Error(`no “${what}” in the checkout, which reads: ${text()}`);
    }
  };
  return {
    element,
    settle,
    ...readings,
    chooseTab: name => press(named(all('[role=tab]'), name), `tab “${name}”`),
    pressKey: key => act(focused(root()), 'focus', at => at.dispatchEvent(keyEvent(key))),
    press: name => press(named(all('button, a[href]'), name), `button “${name}”`),
    type: (label, typed) => act(fieldOf(root(), label), `field “${label}”`, field => write(field, typed)),
    mark: words => press(choiceOf(all('label'), words), `choice “${words}”`),
    unfold: words => press(named(all('summary'), words), `words “${words}”`),
    waitFor: (wanted, withinMs) =>
      waitUntil(
        () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text())),
        `${wanted}`,
        withinMs,
      ),
    waitForButton: (name, withinMs) =>
      waitUntil(() => takesPresses(named(all('button, a[href]'), name)), `button ${name}`, withinMs),
  };
}

/** What can be read off the checkout at any moment. */
function readingsOf(all: Find, root: () => ParentNode) {
  const radios = () => all('label').filter(label => label.querySelector('input[type=radio]'));
  return {
    text: () => all('.card, [part~="trigger"]').map(readable).join(' '),
    tabs: () => all('[role=tab]').map(nameOf),
    chosenTab: () => all('[role=tab][aria-selected=true]').map(nameOf)[0] ?? null,
    buttons: () => all('button:not([role=tab]), a[href]').map(nameOf),
    choices: () => radios().map(wordsOf),
    chosen: () => radios().filter(isMarked).map(wordsOf)[0] ?? null,
    copyable: () => Object.fromEntries(all('li:has(button)').map(copyOf)),
    link: (name: string) => named(all('a[href]'), name)?.getAttribute('href') ?? null,
    focused: () => focusedName(root()),
    alerts: () => all('[role=alert]').map(readable),
    spoken: () => [...root().querySelectorAll('[role=status]')].map(readable).join(' ').trim(),
  };
}

/** A button that is busy keeps its place and its name. */
const takesPresses = (found: HTMLElement | undefined) =>
  found !== undefined && !found.matches(':disabled, [aria-disabled=true]');

const named = (found: HTMLElement[], name: string) => found.find(one => nameOf(one) === name);

function isShown(element: HTMLElement): boolean {
  // What is folded away has a place all the same.
  return element.getClientRects().length > 0 && element.checkVisibility();
}

/** Text without what is not shown, blanks folded. */
function readable(element: Element): string {
  return (element instanceof HTMLElement ? element.innerText : (element.textContent ?? '')).replace(/\s+/g, ' ').trim();
}

function nameOf(element: HTMLElement): string {
  return element.getAttribute('aria-label') ?? readable(element);
}

function choiceOf(labels: HTMLElement[], words: string): HTMLElement | undefined {
  return labels.find(label => wordsOf(label).startsWith(words));
}

/** A label without the signs that are only drawn. */
function wordsOf(label: HTMLElement): string {
  const drawn = [...label.querySelectorAll('[aria-hidden=true]')].map(readable);
  return drawn.reduce((words, sign) => words.replace(sign, ''), readable(label)).trim();
}

const isMarked = (label: HTMLElement) => label.querySelector(':checked') !== null;

/** The name of a row's copy button, without the verb, and the row's value. */
function copyOf(row: HTMLElement): [string, string] {
  const name = nameOf(row.querySelector('button') as HTMLElement).replace(/^Copy | copied$/g, '');
  return [name, readable(row.querySelector('b') as Element)];
}

function focused(root: ParentNode): HTMLElement | undefined {
  return root.querySelector<HTMLElement>(':focus') ?? undefined;
}

function focusedName(root: ParentNode): string | null {
  const at = focused(root);
  return at ? nameOf(at) : null;
}

function keyEvent(key: string): KeyboardEvent {
  return new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true });
}

function fieldOf(root: ParentNode, label: string): HTMLInputElement | undefined {
  const labels = [...root.querySelectorAll('label')];
  return labels
    .map(({ control }) => control)
    .find(
      (control, at): control is HTMLInputElement =>
        control instanceof HTMLInputElement && readable(labels[at] as Element) === label,
    );
}

function write(field: HTMLElement, typed: string): void {
  if (field instanceof HTMLInputElement) field.value = typed;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}
