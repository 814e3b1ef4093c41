import { type CSSResult, html } from 'lit';
import {
  type CheckoutContext,
  isQuoteOver,
  languageIn,
  localeOf,
  type Rooted,
  rootOf,
  stateOf,
  type View,
  type ViewName,
} from './checkout-context.ts';
import { buttonSkeleton, formSkeleton } from './first-screen/skeleton.ts';
import { en } from './strings/en.ts';

/** The view, if it has been loaded. */
export function viewOf({ views }: CheckoutContext, name: ViewName): View | undefined {
  const view = views.get(name);
  return view && 'render' in view ? view : undefined;
}

/** The payer's amount with the chosen method, if it depends on the rate. */
export function quotedText(context: CheckoutContext): string | null | undefined {
  const state = stateOf(context);
  return state.method && viewOf(context, state.method)?.quoted?.(state);
}

/** Whether the payer must first get a new rate: the last rate has ended, and the payer's amount depends on it. */
export const isRateOver = (context: CheckoutContext): boolean => isQuoteOver(context) && Boolean(quotedText(context));

/** Loads a view. Also resolves after a failure; the next call tries again. */
export async function fetchView(context: CheckoutContext, name: ViewName): Promise<void> {
  const { views } = context;
  if (!views.get(name)) views.set(name, load(context, name));
  await views.get(name);
}

async function load(context: CheckoutContext, name: ViewName): Promise<void> {
  const { views, element, chunks } = context;
  // Stores nothing if the views were cleared while this view was loading.
  const keep = (view: () => View | null) => views.get(name) instanceof Promise && views.set(name, view());
  try {
    const [view, controls] = await Promise.all([chunks.views[name](), chunks.controls(), applyLanguage(context)]);
    controls.attend(context);
    adoptStyles(context, controls.styles);
    adoptStyles(context, view.styles);
    keep(() => view.createView(context));
  } catch {
    keep(() => null);
    addEventListener('online', () => fetchView(context, name), { once: true });
  }
  element.requestUpdate();
}

/** Renders the view: grey shapes while it loads, or a button to try again after a failure. */
export function renderView(context: CheckoutContext, name: ViewName): unknown {
  const { strings, views } = context;
  const view = viewOf(context, name);
  if (view) return view.render(stateOf(context));
  const again = () => {
    for (const [key, known] of views) if (!known) void fetchView(context, key);
  };
  // The styles of buttons may be missing too, so the button has the styles of tabs, which are part of the first load.
  if (views.get(name) === null)
    return html`<p role="alert">${strings.unloaded}</p>
      <div class="tabs"><button type="button" @click=${again}>${strings.tryAgain}</button></div>`;
  void fetchView(context, name);
  return [formSkeleton(), name === 'panels' ? buttonSkeleton() : ''];
}

/** Disposes the views of a session. The launcher stays, because its button may have the focus. */
export function clearViews(context: CheckoutContext): void {
  for (const name of context.views.keys()) {
    if (name === 'launcher') continue;
    viewOf(context, name)?.dispose?.();
    context.views.delete(name);
  }
}

/** Adds a style sheet to the shadow root, once. */
export function adoptStyles(context: Rooted, { styleSheet }: CSSResult): void {
  const { adoptedStyleSheets: sheets } = rootOf(context);
  if (styleSheet && !sheets.includes(styleSheet)) sheets.push(styleSheet);
}

/**
 * Loads and applies the language of the element's locale. The previous language (at first English) applies until the
 * new language is loaded. English applies after a failure and for unknown languages. Called on every update, so that
 * the last locale applies.
 */
export async function applyLanguage(context: CheckoutContext): Promise<void> {
  const chunk = context.chunks.languages[languageIn(localeOf(context))];
  const { strings } = (await chunk?.().catch(() => null)) ?? { strings: en };
  if (strings === context.strings) return;
  context.strings = strings;
  context.element.requestUpdate();
}
