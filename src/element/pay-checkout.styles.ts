import { css } from 'lit';
import { tokens } from './tokens.styles.ts';

/**
 * Layout of the first screen. Text sizes are in em of `medium`, the size the payer has set in the browser, whatever the
 * page does to its root.
 */
export const styles = css`
  ${tokens}
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
    border-radius: var(--pay-radius, 20px);
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
  .who b {
    display: block;
  }
  b {
    color: var(--ink);
    font-weight: 600;
  }
  .who div span,
  footer {
    color: var(--ink3);
    font-size: 0.9em;
  }
  .logo {
    flex: none;
    width: 2.1em;
    height: 2.1em;
    border-radius: 9px;
    background: var(--accent);
    color: var(--accent-ink);
    font-weight: 700;
    line-height: 2.1;
    text-align: center;
    object-fit: cover;
  }
  .amount {
    margin-block: 14px 10px;
    color: var(--ink2);
    font-size: 1.15em;
    line-height: 1.15;
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
  .hold {
    font-variant-numeric: tabular-nums;
  }
  .hold,
  .tabs button {
    color: var(--ink2);
  }
  .firm,
  .firm b {
    color: var(--warn);
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
  .firm .ring :last-child {
    stroke: var(--warn);
  }
  .tabs {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 5.6em), 1fr));
    padding: 3px;
    border-radius: var(--control);
    background: var(--page);
  }
  .tabs button {
    min-height: 44px;
    border: 1px solid transparent;
    border-radius: 10px;
    font-weight: 500;
  }
  .tabs [aria-selected="true"] {
    border-color: var(--line);
    background: var(--card);
    box-shadow: 0 1px 2px #00000014;
    color: var(--ink);
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
    border-radius: 10px;
    background: var(--page);
  }
  .sum,
  .till {
    width: 60%;
    height: 40px;
  }
  .till {
    height: 24px;
  }
  .wide {
    grid-column: 1 / -1;
  }
`;
