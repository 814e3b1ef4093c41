import { css, html, type TemplateResult } from 'lit';
import type { CheckoutContext } from '../checkout-context.ts';
import type { QrDrawing, QrErrorCorrection } from './qr-code.ts';

/**
 * Styles of the parts that bank and crypto transfers share: choices, QR code and waiting message. `.firm` marks a rate
 * that ends soon.
 */
export const transferStyles = css`
  .firm,
  .firm b {
    color: var(--warn);
  }
  .firm .ring :last-child {
    stroke: var(--warn);
  }
  fieldset {
    display: grid;
    gap: 8px;
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    margin-block-end: 6px;
    padding: 0;
    color: var(--ink2);
    font-size: 0.934em;
  }
  .choice {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 12px;
    align-items: center;
    min-block-size: 60px;
    padding: 8px 14px;
    border: 1px solid var(--edge);
    border-radius: var(--control);
    cursor: pointer;
  }
  .choice:has(:checked) {
    border-color: var(--accent-text);
    box-shadow: inset 0 0 0 1px var(--accent-text);
  }
  .choice:has(:focus-visible) {
    outline: 3px solid var(--accent-text);
    outline-offset: 2px;
  }
  .choice input {
    inline-size: 18px;
    block-size: 18px;
    margin: 0;
    accent-color: var(--accent-text);
    outline: 0;
  }
  .choice span {
    flex: 1 1 8em;
    min-inline-size: 0;
    font-weight: 500;
  }
  .choice small {
    display: block;
    color: var(--ink3);
    font-size: 0.867em;
    font-weight: 400;
  }
  .choice b {
    margin-inline-start: auto;
    font-weight: 500;
    font-variant-numeric: tabular-nums;
    text-align: end;
  }
  figure {
    display: grid;
    gap: 8px;
    justify-items: center;
    margin: 0;
    color: var(--ink3);
    font-size: 0.867em;
    text-align: center;
  }
  .qr {
    inline-size: 212px;
    block-size: auto;
    max-inline-size: 100%;
    aspect-ratio: 1;
    border: 1px solid var(--line);
    border-radius: min(16px, var(--round));
    background: #fff;
    fill: #000;
    stroke: none;
    forced-color-adjust: none;
  }
  .wait {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0 10px;
    align-items: center;
    color: var(--ink2);
  }
  .wait small {
    grid-column: 2;
    color: var(--ink3);
    font-size: 0.867em;
  }
  .dot {
    inline-size: 8px;
    block-size: 8px;
    margin: 4px;
    border-radius: 50%;
    background: var(--accent-text);
    box-shadow: 0 0 0 4px var(--soft);
  }
`;

/** Text of a QR code, with its accessible name and its caption. */
export interface QrText {
  readonly payload: string;
  readonly name: string;
  readonly caption: string;
  readonly errorCorrection: QrErrorCorrection;
}

/** Whether the device is a phone. It cannot scan its own screen, so the QR code comes after links and values. */
export const isPhone = () => matchMedia('(pointer: coarse) and (max-width: 600px)').matches;

/** Creates a function that renders one QR code. Loads the encoder at its first use. */
export function createQrFigure({ element, chunks }: CheckoutContext): (text: QrText) => TemplateResult {
  let asked = '';
  let drawn: QrDrawing | undefined;

  function draw({ payload, errorCorrection }: QrText): void {
    asked = payload;
    drawn = undefined;
    chunks.qrCode().then(
      ({ drawQrCode }) => {
        if (asked === payload) drawn = drawQrCode(payload, errorCorrection);
        element.requestUpdate();
      },
      // Without the QR code, the payer can still copy the values. The next render tries again.
      () => {
        asked = '';
      },
    );
  }

  return text => {
    if (text.payload !== asked) draw(text);
    const { size = 1, path = '' } = drawn ?? {};
    return html`<figure>
      <svg class="qr" part="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${text.name} shape-rendering="crispEdges">
        <path d=${path}></path>
      </svg>
      <figcaption ?hidden=${!text.caption}>${text.caption}</figcaption>
    </figure>`;
  };
}

/** A waiting message. `forWhat`: the awaited transfer. `leave`: the text that the payer may close the page. */
export function waiting(forWhat: string, leave: string): TemplateResult {
  return html`<p class="wait"><span class="dot"></span>${forWhat}<small>${leave}</small></p>`;
}
