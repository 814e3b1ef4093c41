import { html } from 'lit';
import type { Desk } from '../desk.ts';
import type { View } from '../view-rack.ts';
import { formBones } from './skeleton.ts';

/** A view that stands in for one whose file is still on its way. Where the file does not come, there is a way to try again. */
export function createLater(desk: Desk, load: () => Promise<{ createView(desk: Desk): View }>): View {
  let view: View | null | undefined;
  let isGone = false;

  async function fetch(): Promise<void> {
    const file = await load().catch(() => null);
    if (isGone) return;
    view = file?.createView(desk) ?? null;
    desk.element.requestUpdate();
  }
  const again = () => {
    if (view === null) void fetch();
  };
  void fetch();
  addEventListener('online', again);
  return {
    render(state) {
      if (view) return view.render(state);
      if (view === undefined) return formBones();
      return html`<p role="alert">${desk.strings.unloaded}</p>
        <button class="second" type="button" @click=${again}>${desk.strings.tryAgain}</button>`;
    },
    dispose() {
      isGone = true;
      removeEventListener('online', again);
      view?.dispose?.();
    },
  };
}
