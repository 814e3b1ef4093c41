import { type CSSResult, html, type TemplateResult } from 'lit';
import type { CheckoutState } from './checkout-store.ts';
import { furniture, type ViewName, viewChunks } from './chunks.ts';
import { type Desk, rootOf, stateOf } from './desk.ts';
import { speak } from './language.ts';
import { bone, formBones } from './parts/skeleton.ts';

/** A part of the checkout that is loaded when it is needed. */
export interface View {
  render(state: CheckoutState): unknown;
  /** The words on the main button while this view is the chosen method; null for no button. */
  action?(state: CheckoutState): string | null;
  /** What stands below the main button: another way on. */
  below?(state: CheckoutState): unknown;
  /** Whether it is at work on a press, apart from the store. */
  isBusy?(): boolean;
  /** What `confirm()` does while this view is the chosen method. */
  confirm?(): Promise<void>;
  /** Called when the element goes or takes up another payment. */
  dispose?(): void;
}

/** What the file of a view exports. */
export interface ViewModule {
  readonly styles: CSSResult;
  createView(desk: Desk): View;
}

/** The views of one element, each loaded when it is first asked for; null: it could not be. */
export type ViewRack = Map<ViewName, View | Promise<void> | null>;

/** The view, once it is there. */
export function viewOf({ rack }: Desk, name: ViewName): View | undefined {
  const view = rack.get(name);
  return view && 'render' in view ? view : undefined;
}

/** Loads a view, so that it is there in time; resolves when it is, or could not be. One that could not is tried again. */
export async function fetchView(desk: Desk, name: ViewName): Promise<void> {
  const { rack } = desk;
  if (!rack.get(name)) rack.set(name, load(desk, name));
  await rack.get(name);
}

async function load(desk: Desk, name: ViewName): Promise<void> {
  const { rack, element } = desk;
  // Cleared in the meantime: whoever comes next makes a view of their own.
  const keep = (view: () => View | null) => rack.get(name) instanceof Promise && rack.set(name, view());
  try {
    const [view, shared] = await Promise.all([viewChunks[name](), furniture(), speak(desk)]);
    wear(desk, shared.styles);
    wear(desk, view.styles);
    keep(() => view.createView(desk));
  } catch {
    keep(() => null);
    addEventListener('online', () => rack.get(name) === null && fetchView(desk, name), { once: true });
  }
  element.requestUpdate();
}

/** The view's drawing; until it is there, grey shapes; where it cannot be loaded, a way to try again. */
export function renderView(desk: Desk, name: ViewName): unknown {
  const view = viewOf(desk, name);
  if (view) return view.render(stateOf(desk));
  if (desk.rack.get(name) === null) return failure(desk, () => fetchView(desk, name));
  void fetchView(desk, name);
  return [formBones(), name === 'panels' ? bone() : ''];
}

/** Lets all views go; they are made anew when they are asked for. */
export function clearViews(desk: Desk): void {
  for (const name of desk.rack.keys()) viewOf(desk, name)?.dispose?.();
  desk.rack.clear();
}

/** Puts a style sheet on the element, once. */
export function wear(desk: Desk, { styleSheet }: CSSResult): void {
  const { adoptedStyleSheets: worn } = rootOf(desk);
  if (styleSheet && !worn.includes(styleSheet)) worn.push(styleSheet);
}

function failure({ strings }: Desk, retry: () => void): TemplateResult {
  return html`<p role="alert">${strings.unloaded}</p>
    <button class="second" type="button" @click=${retry}>${strings.tryAgain}</button>`;
}
