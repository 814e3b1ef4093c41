import { css } from 'lit';

export const homeStyles = css`
  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
    gap: 16px;
  }
  .figures .card {
    gap: 4px;
  }
  .name {
    color: var(--ink2);
    font-size: 0.933rem;
    font-weight: 450;
  }
  .change {
    color: var(--ink2);
    font-size: 0.867rem;
    font-weight: 600;
  }
  .change.up {
    color: var(--good);
  }
  .attention li {
    padding-block: 3px;
  }
  .attention a {
    color: inherit;
    text-decoration-color: var(--edge);
  }
  .period {
    color: var(--ink2);
    font-weight: 400;
  }
  .actions select {
    inline-size: auto;
  }
  .shares {
    display: grid;
    gap: 12px;
  }
  .shares > div {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 4px 12px;
  }
  .shares dd.num {
    color: var(--ink2);
  }
  .bar {
    grid-column: 1 / -1;
    block-size: 8px;
    border-radius: 4px;
    overflow: hidden;
    background: var(--neutral-soft);
  }
  .bar i {
    display: block;
    block-size: 100%;
    border-radius: 4px;
    background: var(--accent);
  }
  pay-volume-chart:not(:defined) {
    display: block;
    block-size: 220px;
  }
  .figures-table summary {
    display: inline-flex;
    align-items: center;
    min-block-size: 32px;
    color: var(--accent);
    font-size: 0.867rem;
    cursor: pointer;
  }
  @media (forced-colors: active) {
    .bar {
      border: 1px solid;
    }
    .bar i {
      background: Highlight;
      forced-color-adjust: none;
    }
  }
`;
