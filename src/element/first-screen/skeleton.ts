import { html, type TemplateResult } from 'lit';

/**
 * Grey shapes of the card form's size, so that nothing moves when the form appears. `name` names the loading content.
 * The hidden digits make the browser load the fonts of the first screen while the service prepares its answer.
 */
export function skeleton(name: string): TemplateResult {
  return html`<div class="panel" role="img" aria-label=${name}>
    <div class="bone sum" part="payee"></div>
    <div class="bone sum" part="amount"></div>
    <div class="bone sum"></div>
    <div class="bone"></div>
    ${formSkeleton()}${buttonSkeleton()}
    <div class="quiet" aria-hidden="true">
      <span class="logo">0</span><b>0</b>
      <p class="amount"><b>0</b></p>
      <p class="tabs"><button disabled>0</button></p>
    </div>
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
