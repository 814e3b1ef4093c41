import { html, type TemplateResult } from 'lit';

/**
 * Grey shapes of the card form's size, so that nothing moves when the form appears. `name` names the loading content.
 */
export function skeleton(name: string): TemplateResult {
  return html`<div class="panel" role="img" aria-label=${name}>
    <div class="bone sum" part="payee"></div>
    <div class="bone sum" part="amount"></div>
    <div class="bone sum"></div>
    <div class="bone"></div>
    ${formSkeleton()}${buttonSkeleton()}
  </div>`;
}

/** One grey bar of a button's size. */
export const buttonSkeleton = () => html`<div class="bone"></div>`;

/** Grey shapes of the card fields. */
export function formSkeleton(): TemplateResult {
  return html`<div class="bones" aria-hidden="true">
    <div class="bone wide"></div>
    <div class="bone"></div>
    <div class="bone"></div>
    <div class="bone wide"></div>
  </div>`;
}
