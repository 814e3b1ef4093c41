import { css, html, type TemplateResult } from 'lit';
import { qrCode } from '../chunks.ts';
import type { Desk } from '../desk.ts';
import type { QrDrawing, QrErrorCorrection } from './qr-code.ts';

export const qrFigureStyles = css`
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
    border-radius: 16px;
    background: #fff;
    fill: #000;
    stroke: none;
    forced-color-adjust: none;
  }
`;

/** What a code says, and what it is called. */
export interface QrText {
  readonly payload: string;
  readonly name: string;
  readonly caption: string;
  readonly errorCorrection: QrErrorCorrection;
}

/** A phone cannot scan its own screen: there what can be copied or opened comes first. */
export const isPhone = () => matchMedia('(pointer: coarse) and (max-width: 600px)').matches;

/** A QR code with what draws it fetched when it is first shown. Keep one for each place. */
export function createQrFigure({ element }: Desk): (text: QrText) => TemplateResult {
  let asked = '';
  let drawn: QrDrawing | undefined;

  function draw({ payload, errorCorrection }: QrText): void {
    asked = payload;
    drawn = undefined;
    qrCode().then(
      ({ drawQrCode }) => {
        if (asked === payload) drawn = drawQrCode(payload, errorCorrection);
        element.requestUpdate();
      },
      // Without the code there is still what can be copied; the next drawing of the panel tries again.
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
