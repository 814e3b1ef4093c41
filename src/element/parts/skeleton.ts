import { html, type TemplateResult } from 'lit';

/** Grey shapes where the card form will be, of its size, so that nothing jumps. `name` is what is being waited for. */
export function skeleton(name: string): TemplateResult {
  return html`<div class="panel" role="img" aria-label=${name}>
    <div class="bone sum" part="payee"></div>
    <div class="bone sum" part="amount"></div>
    <div class="bone till"></div>
    <div class="bone"></div>
    ${formBones()}${bone()}
  </div>`;
}

/** One bar, of a button's size. */
export const bone = () => html`<div class="bone"></div>`;

/** The fields alone: what stands in for the card frame until it has drawn itself. */
export function formBones(): TemplateResult {
  return html`<div class="bones" aria-hidden="true">
    <div class="bone wide"></div>
    <div class="bone"></div>
    <div class="bone"></div>
    <div class="bone wide"></div>
  </div>`;
}
