import { css } from 'lit';

/** Styles for the parts of a page: its head, cards, and cards side by side. */
export const layoutStyles = css`
  /* The page's frame. */
  .head {
    display: flex;
    flex-wrap: wrap;
    gap: 12px 24px;
    align-items: end;
    justify-content: space-between;
    margin-block-end: 20px;
  }
  .titles {
    min-inline-size: 0;
  }
  .above {
    margin-block-end: 2px;
    color: var(--ink2);
    font-size: 0.933rem;
  }
  .above a {
    color: inherit;
    text-decoration: none;
  }
  /* The padding makes the links easier to press. The negative margin removes its space again. */
  :is(.above, .card-head) > a {
    display: inline-block;
    padding-block: 12px;
    margin-block: -12px;
  }
  .above a:hover {
    text-decoration: underline;
  }
  .above::after {
    content: " ›";
  }
  .subtitle {
    margin-block-start: 2px;
    color: var(--ink2);
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .body,
  .stack {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 16px;
    align-content: start;
  }

  /* Cards, and cards side by side. */
  .card {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 12px;
    align-content: start;
    padding: 20px;
    border: 1px solid var(--line);
    border-radius: 20px;
    background: var(--card);
  }
  .card-head {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 16px;
    align-items: center;
    justify-content: space-between;
  }
  .grid {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 16px;
  }
  fieldset.grid {
    align-items: end;
  }
  .grid > [role="status"] {
    grid-column: 1 / -1;
  }
  /* An empty live region takes no gap. */
  [role="status"]:empty {
    position: absolute;
  }
  .beside {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 16px;
    align-items: start;
  }
  @media (width >= 1080px) {
    .beside {
      grid-template-columns: minmax(0, 1.6fr) minmax(0, 1fr);
    }
  }
  .big {
    font-size: 1.75rem;
    font-weight: 650;
    letter-spacing: -0.015em;
    line-height: 1.2;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }

  /* Placeholders while content loads, and empty lists. */
  .bones {
    display: grid;
    gap: 14px;
  }
  .bone {
    block-size: 44px;
    border-radius: 12px;
    background: var(--neutral-soft);
    opacity: 0.6;
  }
  .empty {
    display: grid;
    gap: 12px;
    justify-items: center;
    max-inline-size: 30em;
    margin-inline: auto;
    padding: 32px 12px;
    color: var(--ink2);
    text-align: center;
    text-wrap: balance;
  }
  .empty h2 {
    color: var(--ink);
  }
  .empty .actions {
    justify-content: center;
  }
  .busy-text {
    color: var(--ink2);
  }
`;
