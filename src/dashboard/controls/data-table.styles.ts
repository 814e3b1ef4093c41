import { css } from 'lit';

export const tableStyles = css`
  :host {
    container-type: inline-size;
  }
  .row {
    display: grid;
    position: relative;
    grid-template-columns: var(--tracks);
    gap: 4px 16px;
    align-items: center;
    min-block-size: 62px;
    padding: 10px 8px;
    border-block-end: 1px solid var(--line);
  }
  /* The estimated height of a row or card counts until the browser has laid it out. */
  .page,
  .group {
    content-visibility: auto;
    contain-intrinsic-block-size: auto calc(var(--rows) * var(--row-height, 63px));
  }
  .page:last-child > .group:last-child .row:last-child {
    border-block-end: 0;
  }
  .heads .row {
    min-block-size: 40px;
    color: var(--ink2);
    font-size: 0.867rem;
  }
  .cell {
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .cell.title {
    font-weight: 500;
  }
  .cell .second-line {
    overflow: hidden;
    font-weight: 400;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .cell .second-line.whole {
    overflow: visible;
    white-space: normal;
  }
  .end {
    justify-self: end;
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .value {
    font-weight: 600;
  }
  .cover {
    color: inherit;
    text-decoration: none;
  }
  .cover::after {
    position: absolute;
    inset: 0;
    border-radius: 10px;
    content: "";
  }
  .cover:focus-visible {
    outline: none;
  }
  .cover:focus-visible::after {
    outline: 3px solid var(--accent);
    outline-offset: -3px;
  }
  /* Controls inside a row stay above the link that covers it. */
  .row :is(button, pay-copy, a:not(.cover)) {
    position: relative;
    z-index: 1;
  }
  @media (hover: hover) {
    .row.link:hover {
      background: color-mix(in srgb, var(--page) 60%, transparent);
    }
  }
  .more {
    display: grid;
    place-items: center;
    padding-block-start: 12px;
  }
  @container (width < 620px) {
    .page {
      --row-height: 100px;
    }
    .heads {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .page .row {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 12px;
      padding: 12px 4px;
    }
    /* Ends the first line. */
    .page .row::before {
      order: 2;
      flex-basis: 100%;
      block-size: 0;
      content: "";
    }
    .cell {
      order: 3;
      text-align: start;
    }
    .cell.title {
      flex: 1;
      order: 0;
    }
    .cell.value {
      order: 1;
      text-align: end;
    }
    .cell.last {
      order: 4;
      margin-inline-start: auto;
    }
    .cell.hidden {
      display: none;
    }
    .cell:not(.title, .value) {
      color: var(--ink2);
      font-size: 0.933rem;
    }
  }
`;
