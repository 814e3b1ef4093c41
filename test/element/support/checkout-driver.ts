import type { PayCheckout } from '../../../src/element/pay-checkout.ts';

/** Operates a checkout as a person would, by visible texts and accessible names. It uses no class and no id. */
export interface CheckoutDriver {
  readonly element: PayCheckout;
  /** The visible text in one line. */
  text(): string;
  /** Names of the payment methods. */
  tabs(): string[];
  chosenTab(): string | null;
  chooseTab(name: string): Promise<void>;
  /** Presses a key on the focused element of the checkout. */
  pressKey(key: string): Promise<void>;
  buttons(): string[];
  /** Presses the button or link with that name. Throws if there is none. */
  press(name: string): Promise<void>;
  /** Types into the field with the label. */
  type(label: string, text: string): Promise<void>;
  /** Texts of the radio buttons: kinds of transfer, assets, holdings. */
  choices(): string[];
  /** Text of the selected radio button, or null. */
  chosen(): string | null;
  /** Selects the radio button whose text begins with `words`. */
  mark(words: string): Promise<void>;
  /** Values with a copy button, by name: `Amount`, `Address`, `IBAN` … The value is the visible text. */
  copyable(): Record<string, string>;
  /** Address of the link with that name, or null. */
  link(name: string): string | null;
  /** Opens or closes the details with this summary. */
  unfold(words: string): Promise<void>;
  /** Name of the focused element, or null if the focus is outside. */
  focused(): string | null;
  /** Waits until the focus is on the element with this name, or a part of it. */
  waitForFocus(name: string): Promise<void>;
  alerts(): string[];
  /** The last announcement for screen readers. */
  spoken(): string;
  /** Waits until the text appears. After `withinMs` it throws an error with the visible text. */
  waitFor(text: string | RegExp, withinMs?: number): Promise<void>;
  /** Waits until the button or link can be pressed. */
  waitForButton(name: string, withinMs?: number): Promise<void>;
  /** Waits for pending updates. */
  settle(): Promise<void>;
}

const pollMs = 20;

type Find = (selector: string) => HTMLElement[];

/** Creates a driver for an element in the page. */
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
  const waitUntil = async (isThere: () => boolean, what: string, withinMs = 15_000) => {
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
    waitForFocus: name => waitUntil(() => focusedName(root())?.includes(name) === true, `focus on ${name}`),
    waitForButton: (name, withinMs) =>
      waitUntil(() => takesPresses(named(all('button, a[href]'), name)), `button ${name}`, withinMs),
  };
}

/** The parts of the driver that only read. */
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

/** Whether a button can be pressed. A busy button stays visible but is disabled. */
const takesPresses = (found: HTMLElement | undefined) =>
  found !== undefined && !found.matches(':disabled, [aria-disabled=true]');

const named = (found: HTMLElement[], name: string) => found.find(one => nameOf(one) === name);

function isShown(element: HTMLElement): boolean {
  // Content of closed `<details>` still has a box.
  return element.getClientRects().length > 0 && element.checkVisibility();
}

/** The visible text with single spaces. */
function readable(element: Element): string {
  return (element instanceof HTMLElement ? element.innerText : (element.textContent ?? '')).replace(/\s+/g, ' ').trim();
}

function nameOf(element: HTMLElement): string {
  return element.getAttribute('aria-label') ?? readable(element);
}

function choiceOf(labels: HTMLElement[], words: string): HTMLElement | undefined {
  return labels.find(label => wordsOf(label).startsWith(words));
}

/** Text of a label without decorative parts. */
function wordsOf(label: HTMLElement): string {
  const drawn = [...label.querySelectorAll('[aria-hidden=true]')].map(readable);
  return drawn.reduce((words, sign) => words.replace(sign, ''), readable(label)).trim();
}

const isMarked = (label: HTMLElement) => label.querySelector(':checked') !== null;

/** Name of a row's copy button, without the verb, and the row's value. */
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
