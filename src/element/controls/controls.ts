import { css, html, nothing, type TemplateResult } from 'lit';
import { type CheckoutContext, rootOf } from '../checkout-context.ts';
import type { PayErrorDetail } from '../events.ts';

export { attend } from './attention.ts';
export { confirm } from './confirm.ts';

/** Styles of buttons, notes and progress bars, which all views use. They are loaded with the first view. */
export const styles = css`
  .skin {
    --edge: var(--pay-edge, var(--light, #868f9f) var(--dark, #66707f));
    --corner: var(--pay-radius-field, min(10px, var(--round)));
    --field: var(--pay-field, var(--light, #fff) var(--dark, #10141a));
    --soft: var(--pay-accent-soft, var(--light, #eef2ff) var(--dark, #1b2440));
    --good: var(--pay-good, var(--light, #0f7a4b) var(--dark, #55d19a));
    --good-soft: var(--pay-good-soft, var(--light, #e7f6ee) var(--dark, #10281e));
    --warn: var(--pay-warn, var(--light, #8a5300) var(--dark, #f0b95c));
    --warn-soft: var(--pay-warn-soft, var(--light, #fff5e3) var(--dark, #2a2112));
    --bad: var(--pay-bad, var(--light, #b3261e) var(--dark, #ff8a80));
    --bad-soft: var(--pay-bad-soft, var(--light, #fdeeed) var(--dark, #2e1715));
  }
  @supports (color: oklch(from red l c h)) {
    .skin {
      --soft: var(--pay-accent-soft, color-mix(in srgb, var(--accent) 9%, var(--card)));
    }
  }
  :focus-visible {
    outline: 3px solid var(--accent-text);
    outline-offset: 2px;
  }
  .note {
    padding: 12px 14px;
    border-radius: var(--control);
    background: var(--soft);
    color: var(--ink2);
    font-size: 0.967em;
  }
  .note strong {
    color: var(--ink);
    font-weight: 650;
  }
  .note.warn,
  .note.warn strong {
    background: var(--warn-soft);
    color: var(--warn);
  }
  .note.bad,
  .note.bad strong {
    background: var(--bad-soft);
    color: var(--bad);
  }
  .main,
  .second {
    display: flex;
    gap: 10px;
    align-items: center;
    justify-content: center;
    inline-size: 100%;
    min-block-size: 52px;
    padding: 8px 16px;
    border-radius: var(--control);
    background: var(--accent);
    color: var(--accent-ink);
    font-size: 1.067em;
    font-weight: 600;
    text-align: center;
    text-decoration: none;
  }
  .second {
    min-block-size: 48px;
    border: 1px solid var(--line);
    background: none;
    color: var(--ink);
    font-size: 1em;
    font-weight: 500;
  }
  .plain {
    min-block-size: 44px;
    padding: 4px 12px;
    border-radius: var(--control);
    color: var(--accent-text);
    font-weight: 500;
    text-align: center;
  }
  @media (hover: hover) {
    .plain:hover {
      text-decoration: underline;
      text-underline-offset: 0.2em;
    }
    .main:hover {
      filter: brightness(1.06);
    }
    .second:hover {
      background: var(--page);
    }
  }
  .steps {
    display: grid;
    gap: 12px;
    padding-block: 8px;
  }
  .bars {
    display: grid;
    grid-template-columns: repeat(3, 1fr);
    gap: 6px;
  }
  .bars i {
    block-size: 4px;
    border-radius: 2px;
    background: var(--line);
  }
  .bars .done {
    background: var(--accent-text);
  }
  .spin {
    inline-size: 1.1em;
    block-size: 1.1em;
    border: 2px solid;
    border-inline-start-color: transparent;
    border-radius: 50%;
    animation: spin 0.9s linear infinite;
  }
  @keyframes spin {
    to {
      rotate: 1turn;
    }
  }
  @media (forced-colors: active) {
    .bone,
    .bars i {
      border: 1px solid;
    }
    .tabs [aria-selected="true"] {
      border: 2px solid;
    }
    .bars .done {
      background: Highlight;
      forced-color-adjust: none;
    }
    .main,
    .note {
      border: 2px solid;
    }
    .plain {
      text-decoration: underline;
    }
  }
`;

/** Moves the focus to an element of the checkout, for example when the focused element was removed. */
export function focusOn(context: CheckoutContext, selector: string): void {
  rootOf(context).querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
}

/** Reports an error to the page, by event, and to the developer, in the console. */
export function report(context: CheckoutContext, detail: PayErrorDetail): void {
  console.error(`<pay-checkout> ${detail.code}: ${detail.message}`);
  context.notifier.error(detail);
}

/** A note about the open payment, above the panel of the chosen method. */
export interface Remark {
  readonly text: string;
  readonly kind: '' | 'warn';
  /** A drawing below the text. */
  readonly drawing?: TemplateResult;
  /** Whether the chosen tab already shows the text. The text is then only announced to screen readers. */
  readonly isInTab?: boolean;
  /** Whether the remark answers a press of a button. The remark then gets the focus. */
  readonly isAnswer?: boolean;
}

/** A note on a coloured panel. Text before `|` is bold. Screen readers announce notes of role `alert` at once. */
export function note(text: string, kind: '' | 'warn' | 'bad' = '', role: 'alert' | 'status' | null = null) {
  const [bold, rest] = text.split('|');
  return html`<p class="note ${kind}" part="note" role=${role ?? nothing}>
    <strong>${bold}</strong>${rest ? ` ${rest}` : nothing}
  </p>`;
}

/**
 * The service's error message, in the element's language if there is a translation. The part before `|` says what
 * happened, and the rest says what to do.
 */
export function problemText(
  { strings }: CheckoutContext,
  { code, message }: { code: string; message: string },
): string {
  return strings.parts?.problems[code] ?? message.replace('. ', '.|');
}

/** Progress of an incoming payment: awaited, seen, confirmed. `name` is the text for screen readers. */
export function bars(done: 1 | 2, name: string): TemplateResult {
  return html`<div class="bars" role="img" aria-label=${name}>
    <i class="done"></i><i class=${done > 1 ? 'done' : ''}></i><i></i>
  </div>`;
}

/** A button for an alternative to the main action. */
export function plainButton(label: string, press: () => void): TemplateResult {
  return html`<button class="plain" type="button" @click=${press}>${label}</button>`;
}

/** The button for the main action. A busy button keeps the focus but ignores presses. */
export function mainButton(label: string, press: () => void, busy = false): TemplateResult {
  return html`<button class="main" part="button" type="button" aria-disabled=${busy} @click=${busy ? nothing : press}>
    ${busy ? html`<span class="spin"></span>` : nothing}${label}
  </button>`;
}
