import { type CheckoutContext, rootOf } from '../checkout-context.ts';

const attended = new WeakSet<ShadowRoot>();

/** Handles the keys of the tabs, moves the focus to errors, and keeps the focus in the checkout. Acts once. */
export function attend(context: CheckoutContext): void {
  const root = rootOf(context);
  if (attended.has(root)) return;
  attended.add(root);
  root.addEventListener('keydown', event => moveTab(event as KeyboardEvent));
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
