import type { PageFiles } from '../../platform/pages/page-assets.ts';
import { html, type Markup } from '../../platform/pages/page-html.ts';

/**
 * The document of the card fields. It holds no text: the script writes the labels in the payer's language. `now` is the
 * payment's clock, against which an expiry date is judged.
 */
export function cardFramePage(files: PageFiles, now: Date): Markup {
  return html`<!doctype html>
    <html lang="en" data-now="${now.toISOString()}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Card details</title>
        ${files.styles.map(file => html`<link rel="stylesheet" href="${fromFrame(file)}">`)}
        <script type="module" src="${fromFrame(files.script)}"></script>
      </head>
      <body>
        <form novalidate aria-label="Card details">
          ${field('number', html`inputmode="numeric" autocomplete="cc-number" dir="ltr" aria-describedby="brand number-error"`, html`<span id="brand"></span>`)}
          <div class="row">
            ${field('expiry', html`inputmode="numeric" autocomplete="cc-exp" dir="ltr" aria-describedby="expiry-error"`)}
            ${field('cvc', html`inputmode="numeric" autocomplete="cc-csc" dir="ltr" aria-describedby="cvc-error"`)}
          </div>
          ${field('name', html`autocomplete="cc-name" autocapitalize="words" aria-describedby="name-error"`)}
        </form>
      </body>
    </html>`;
}

function field(name: string, attributes: Markup, after: Markup | null = null): Markup {
  return html`<div class="field">
    <label for="${name}"></label>
    <div class="box">
      <input id="${name}" name="${name}" required spellcheck="false" enterkeyhint="go" ${attributes}>
      ${after}
    </div>
    <p class="error" id="${name}-error" aria-live="polite"></p>
  </div>`;
}

/** Paths below `/card-frame/` as the document at `/card-frame/` names them. */
function fromFrame(path: string): string {
  return path.replace('/card-frame/', '');
}
