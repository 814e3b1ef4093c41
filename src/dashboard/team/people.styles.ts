import { css } from 'lit';

/** Rows with a description, chips and buttons. They wrap on a phone. */
export const peopleStyles = css`
  .people > li {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    justify-content: space-between;
    padding-block: 10px;
    border-block-start: 1px solid var(--line);
  }
  .people > li:first-child {
    border-block-start: 0;
  }
  .people .who {
    flex: 1 1 12rem;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
`;
