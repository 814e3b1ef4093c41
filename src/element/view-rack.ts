import { type CSSResult, html, type TemplateResult } from 'lit';
import type { CheckoutState } from './checkout-store.ts';
import { furniture, type ViewName, viewChunks } from './chunks.ts';
import { type Desk, rootOf, stateOf } from './desk.ts';
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

/** The views of one element, each loaded when it is first asked for. */
export type ViewRack = Map<ViewName, View | 'loading' | 'failed'>;

/** The view, once it is there. */
export function viewOf({ rack }: Desk, name: ViewName): View | undefined {
  const view = rack.get(name);
  return typeof view === 'object' ? view : undefined;
}

/** Starts loading a view, so that it is there in time. One that could not be loaded is tried again. */
export async function fetchView(desk: Desk, name: ViewName): Promise<void> {
  const { rack, element } = desk;
  if (rack.has(name) && rack.get(name) !== 'failed') return;
  rack.set(name, 'loading');
  try {
    const [view, shared] = await Promise.all([viewChunks[name](), furniture()]);
    wear(desk, shared.styles);
    wear(desk, view.styles);
    // Cleared in the meantime: whoever comes next makes a view of their own.
    if (rack.get(name) === 'loading') rack.set(name, view.createView(desk));
  } catch {
    rack.set(name, 'failed');
  }
  element.requestUpdate();
}

/** The view's drawing; until it is there, grey shapes; where it cannot be loaded, a way to try again. */
export function renderView(desk: Desk, name: ViewName): unknown {
  const view = viewOf(desk, name);
  if (view) return view.render(stateOf(desk));
  if (desk.rack.get(name) === 'failed') return failure(desk, () => fetchView(desk, name));
  void fetchView(desk, name);
  return [formBones(), name === 'panels' ? bone() : ''];
}

/** Lets all views go; they are made anew when they are asked for. */
export function clearViews(desk: Desk): void {
  for (const name of desk.rack.keys()) viewOf(desk, name)?.dispose?.();
  desk.rack.clear();
}

function wear(desk: Desk, { styleSheet }: CSSResult): void {
  const { adoptedStyleSheets: worn } = rootOf(desk);
  if (styleSheet && !worn.includes(styleSheet)) worn.push(styleSheet);
}

function failure({ strings }: Desk, retry: () => void): TemplateResult {
  return html`<p role="alert">${strings.unloaded}</p>
    <button class="second" type="button" @click=${retry}>${strings.tryAgain}</button>`;
}
