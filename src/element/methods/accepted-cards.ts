import { css, html, nothing, type SVGTemplateResult, svg } from 'lit';
import type { CheckoutContext } from '../checkout-context.ts';
import { adoptStyles } from '../lazy-views.ts';
import type { CheckoutState } from '../state/checkout-state.ts';

/** The marks are at the end of the first label's line, above the frame, so that they do not move other content. */
const styles = css`
  .marks {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    align-self: start;
    justify-content: end;
    justify-self: end;
    max-inline-size: calc(100% - 7em);
    block-size: 18px;
    margin: 5px 4px;
    overflow: hidden;
    pointer-events: none;
  }
  .marks svg {
    inline-size: 27px;
    block-size: 18px;
    border-radius: 3px;
    background: #fff;
    box-shadow: inset 0 0 0 1px #0002;
    stroke: none;
    font: 700 8px system-ui, sans-serif;
    text-anchor: middle;
    direction: ltr;
  }
`;

interface Mark {
  readonly name: string;
  readonly drawn: SVGTemplateResult;
}

const circles = (left: string, right: string) =>
  svg`<circle cx="11.5" cy="10" r="5.5" fill=${left} /><circle cx="18.5" cy="10" r="5.5" fill=${right} fill-opacity=".85" />`;

const word = (text: string, fill: string, length: number) =>
  svg`<text x="15" y="13" fill=${fill} textLength=${length} lengthAdjust="spacingAndGlyphs">${text}</text>`;

/** Our own drawings of 30 × 20, by brand. */
const marks: Readonly<Record<string, Mark>> = {
  visa: { name: 'Visa', drawn: svg`<g font-style="italic" font-size="9">${word('VISA', '#1a3a8f', 22)}</g>` },
  mastercard: { name: 'Mastercard', drawn: circles('#d9262f', '#f29f1f') },
  amex: { name: 'American Express', drawn: svg`<path fill="#1f6fc4" d="M0 0h30v20H0z" />${word('AMEX', '#fff', 24)}` },
  discover: {
    name: 'Discover',
    drawn: svg`<path fill="#ee7624" d="M30 11v9H10c9 0 16-4 20-9z" /><g font-size="6">${word('DISCOVER', '#222', 26)}</g>`,
  },
  diners: {
    name: 'Diners Club',
    drawn: svg`<circle cx="15" cy="10" r="7" fill="#1b5fa8" /><path fill="#fff" d="M13.5 5.5v9a4.6 4.6 0 0 1 0-9zm3 0a4.6 4.6 0 0 1 0 9z" />`,
  },
  jcb: {
    name: 'JCB',
    drawn: svg`<path fill="#1059a8" d="M5 4h6v12H5z" /><path fill="#c8202f" d="M12 4h6v12h-6z" /><path fill="#128a3e" d="M19 4h6v12h-6z" />${word('JCB', '#fff', 18)}`,
  },
  unionpay: {
    name: 'UnionPay',
    drawn: svg`<path fill="#d7202f" d="M7 3h7l-3 14H4z" /><path fill="#0f4c81" d="M14 3h6l-3 14h-6z" /><path fill="#0b8a8f" d="M20 3h6l-3 14h-6z" />`,
  },
  maestro: { name: 'Maestro', drawn: circles('#1a73c8', '#d9262f') },
};

/** Returns a function that draws the marks of the accepted brands. Omits brands without a drawing. */
export function acceptedCards(context: CheckoutContext): (state: CheckoutState) => unknown {
  adoptStyles(context, styles);
  return draw;
}

function draw({ options }: CheckoutState): unknown {
  const accepted = options?.card?.brands.flatMap(brand => marks[brand] ?? []) ?? [];
  if (accepted.length === 0) return nothing;
  return html`<div class="marks" part="marks" role="img" aria-label=${accepted.map(({ name }) => name).join(', ')}>
    ${accepted.map(({ drawn }) => html`<svg viewBox="0 0 30 20" aria-hidden="true">${drawn}</svg>`)}
  </div>`;
}
