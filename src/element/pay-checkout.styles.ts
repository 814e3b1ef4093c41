import { css } from 'lit';

/**
 * Theme and layout of the first screen. Text sizes are relative to `medium`, which the payer sets in the browser, so
 * the page's root font size does not matter. The `--pay-*` colours and radii are read here and in
 * `controls/controls.ts`, into short names. Of two adjacent defaults, the first is for light and the second for dark.
 * In the light theme, `--light` is invalid, so its fallback applies, and `--dark` is empty. The dark theme swaps both.
 * (`light-dark()` is newer than the browsers we support.)
 */
export const styles = css`
  .skin {
    --light: initial;
    --dark: var(--nothing,);
    --page: var(--pay-page, var(--light, #f4f5f7) var(--dark, #0c0f14));
    --card: var(--pay-background, var(--light, #fff) var(--dark, #151a21));
    --ink: var(--pay-ink, var(--light, #10151d) var(--dark, #f1f4f8));
    --ink2: var(--pay-ink-second, var(--light, #4c5665) var(--dark, #b3bdca));
    --ink3: var(--pay-ink-third, var(--light, #687282) var(--dark, #8d98a7));
    --line: var(--pay-line, var(--light, #e3e7ec) var(--dark, #28303b));
    --accent: var(--pay-accent, var(--brand, var(--light, #2f5bea) var(--dark, #7d9bff)));
    --accent-ink: var(--pay-accent-ink, var(--light, #fff) var(--dark, #0b1020));
    --accent-text: var(--accent);
    --round: var(--pay-radius, 20px);
    --control: var(--pay-radius-control, min(12px, var(--round)));
    color-scheme: light;
    color: var(--ink);
    font: 0.9375em / 1.45 var(--pay-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
    text-align: start;
    overflow-wrap: anywhere;
    -webkit-font-smoothing: antialiased;
  }
  .dark {
    --light: var(--nothing,);
    --dark: initial;
    color-scheme: dark;
  }
  /* Text on the accent is white or near black, chosen by WCAG's relative luminance. Accent-coloured text is made light
     or dark enough to be read on the card. */
  @supports (color: oklch(from red l c h)) {
    .skin {
      --tone: clamp(0.0015, (0.183 - (0.2126 * r + 0.7152 * g + 0.0722 * b)) * 100000, 1);
      --accent-ink: var(--pay-accent-ink, color(from var(--accent) srgb-linear var(--tone) var(--tone) var(--tone)));
      --accent-text: oklch(from var(--accent) clamp(var(--light, 0) var(--dark, 0.7), l, var(--light, 0.51) var(--dark, 1)) c h);
    }
  }
  :host {
    display: block;
    min-width: 0;
    max-width: 412px;
    font-size: var(--pay-font-size, medium);
  }
  [hidden],
  :host([hidden]) {
    display: none !important;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  .card {
    display: flex;
    flex-direction: column;
    gap: 14px;
    padding: 20px;
    border: 1px solid var(--line);
    border-radius: var(--round);
    background: var(--card);
    box-shadow: var(--pay-shadow, 0 1px 2px #0000000a, 0 12px 32px #00000014);
  }
  button {
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
    touch-action: manipulation;
  }
  svg {
    flex: none;
    width: 1.2em;
    height: 1.2em;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.7;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .quiet {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .who,
  .hold,
  .tabs button,
  footer {
    display: flex;
    gap: 8px;
    align-items: center;
  }
  .tabs button,
  footer {
    justify-content: center;
  }
  .who {
    line-height: 1.35;
  }
  .who b,
  .hold small {
    display: block;
  }
  b {
    color: var(--ink);
    font-weight: 600;
  }
  .who div span,
  .hold small,
  footer {
    color: var(--ink3);
    font-size: 0.9em;
  }
  .logo {
    flex: none;
    width: 2.1em;
    height: 2.1em;
    border-radius: min(9px, var(--round));
    background: var(--accent);
    color: var(--accent-ink);
    font-weight: 700;
    line-height: 2.1;
    text-align: center;
    object-fit: cover;
  }
  .amount {
    margin-block: 14px 10px;
    font-size: 1.15em;
    line-height: 1.15;
    text-wrap: balance;
  }
  .amount b {
    font-size: min(2.2em, 13vw);
    font-weight: 650;
    letter-spacing: -0.02em;
  }
  .amount .long {
    font-size: min(1.65em, 7vw);
  }
  .amount,
  .hold,
  .tabs button {
    color: var(--ink2);
    font-variant-numeric: tabular-nums;
  }
  .ring {
    stroke: var(--line);
    stroke-width: 3;
    stroke-linecap: butt;
    transform: rotate(-90deg);
  }
  .ring :last-child {
    stroke: var(--accent-text);
  }
  .tabs {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 4em), 1fr));
    container-type: inline-size;
    padding: 3px;
    border-radius: var(--control);
    background: var(--page);
  }
  .tabs button {
    min-height: 44px;
    border: 1px solid transparent;
    border-radius: calc(var(--control) - 3px);
    font-weight: 500;
  }
  .tabs [aria-selected="true"] {
    border-color: var(--line);
    background: var(--card);
    box-shadow: 0 1px 2px #00000014;
    color: var(--ink);
  }
  @container (width < 16em) {
    .tabs svg {
      display: none;
    }
    .tabs :nth-child(4) {
      grid-column: 1 / -1;
    }
  }
  @container (width < 19em) {
    .tabs:has(:nth-child(4)) svg {
      display: none;
    }
  }
  .panel {
    display: grid;
    gap: 14px;
  }
  .bones {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 40px 14px;
    padding-top: 26px;
  }
  .bone {
    height: 48px;
    border-radius: var(--control);
    background: var(--page);
  }
  .sum {
    width: 60%;
    height: 42px;
  }
  .wide {
    grid-column: 1 / -1;
  }
`;
