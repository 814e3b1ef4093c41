import { type Rooted, rootOf } from '../checkout-context.ts';

const attended = new WeakSet<ShadowRoot>();

/**
 * Handles the keys of the tabs, moves the focus to errors, and keeps the focus in the checkout. A second call for the
 * same checkout does nothing.
 */
export function attend(context: Rooted): void {
  const root = rootOf(context);
  if (attended.has(root)) return;
  attended.add(root);
  root.addEventListener('keydown', event => moveTab(event as KeyboardEvent));
  keepFocus(root);
}

/** Arrow keys, Home and End choose a tab and move the focus to it (WAI-ARIA tabs pattern). */
function moveTab(event: KeyboardEvent): void {
  const tab = (event.target as Element).closest('[role=tab]');
  const list = tab?.parentElement;
  if (!list) return;
  const tabs = [...list.children] as HTMLElement[];
  const step = getComputedStyle(list).direction === 'rtl' ? -1 : 1;
  const at = tabs.indexOf(tab as HTMLElement);
  const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: -1 }[event.key];
  const next = to === undefined ? undefined : tabs.at(to % tabs.length);
  if (!next) return;
  event.preventDefault();
  next.click();
  next.focus();
}

/** Errors, and answers to a press. */
const news = '[role=alert], .answer';

/** Places for the focus after the focused element was removed, best first. */
const places = ['.panel:not([hidden]) :checked', '[aria-selected=true]', '.main', '.steps'];

const isShown = (element: Element | undefined) => Boolean(element?.getClientRects().length);

/**
 * Moves the focus to a new error or answer and scrolls to it. Moves the focus away from an element that was removed or
 * hidden. Acts only while the payer is in the checkout. Some browsers do not focus a pressed button, so a press counts
 * as well.
 */
function keepFocus(root: ShadowRoot): void {
  const texts = new WeakMap<Element, string | null>();
  let last: Element | undefined;
  let hasPressed = false;

  function isFresh(found: Element): boolean {
    const text = found.textContent;
    const isNew = texts.get(found) !== text && isShown(found);
    if (isNew) texts.set(found, text);
    return isNew;
  }

  function look(): void {
    const fresh = [...root.querySelectorAll<HTMLElement>(news)].filter(isFresh)[0];
    const isAtNothing = document.activeElement === document.body;
    // The card frame is a child of the host. While the focus is inside the frame, the frame is the active element.
    const isHere = root.host.contains((root.host.getRootNode() as Document | ShadowRoot).activeElement);
    if (fresh) {
      if (isHere || (hasPressed && isAtNothing)) show(fresh);
    } else if (last && !isShown(last) && (isAtNothing || root.activeElement === last)) {
      const found = places.map(place => root.querySelector<HTMLElement>(place) ?? undefined);
      found.find(isShown)?.focus();
    }
  }

  root.addEventListener('click', () => {
    hasPressed = true;
  });
  root.addEventListener('focusin', ({ target }) => {
    last = target as Element;
  });
  root.addEventListener('focusout', ({ target }) => {
    // Browsers may also send `focusout` for a removed element. The delay lets `look` handle the removal first.
    setTimeout(() => {
      if (last === target && document.hasFocus()) last = undefined;
    });
  });
  const options = { attributeFilter: ['hidden'], childList: true, characterData: true, subtree: true };
  new MutationObserver(look).observe(root, options);
}

function show(error: HTMLElement): void {
  error.tabIndex = -1;
  error.focus({ preventScroll: true });
  error.scrollIntoView({ block: 'center' });
}
