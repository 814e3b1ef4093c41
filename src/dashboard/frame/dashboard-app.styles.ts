import { css } from 'lit';

/** Styles of the frame: navigation at the side, a bar at the top, the page; on a phone, a bar at the foot. */
export const appStyles = css`
  :host {
    --side: 232px;
  }
  .skip {
    position: absolute;
    z-index: 40;
    inset-block-start: 8px;
    inset-inline-start: 8px;
    padding: 10px 16px;
    border-radius: 12px;
    background: var(--accent);
    color: var(--accent-ink);
  }
  .skip:not(:focus) {
    clip-path: inset(50%);
  }
  .frame {
    display: grid;
    grid-template-columns: var(--side) minmax(0, 1fr);
    min-block-size: 100dvh;
  }
  .side {
    display: flex;
    flex-direction: column;
    position: sticky;
    inset-block-start: 0;
    block-size: 100dvh;
    padding: 20px 14px;
    overflow: auto;
    border-inline-end: 1px solid var(--line);
    background: var(--card);
  }
  .merchant {
    display: flex;
    gap: 10px;
    align-items: center;
    min-block-size: 36px;
    padding-inline: 10px;
    margin-block-end: 16px;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  .mark {
    display: inline-grid;
    flex: none;
    place-items: center;
    inline-size: 30px;
    block-size: 30px;
    border-radius: 9px;
    background: var(--accent);
    color: var(--accent-ink);
    font-weight: 700;
  }
  .to {
    display: flex;
    gap: 10px;
    align-items: center;
    inline-size: 100%;
    min-block-size: 44px;
    padding: 4px 10px;
    border-radius: 12px;
    color: var(--ink2);
    text-align: start;
    text-decoration: none;
  }
  .to[aria-current] {
    background: var(--soft);
    color: var(--accent);
    font-weight: 600;
  }
  @media (hover: hover) {
    .to:not([aria-current]):hover {
      background: var(--page);
    }
  }
  .group {
    margin-block: 16px 4px;
    padding-inline: 10px;
    color: var(--ink3);
    font-size: 0.733rem;
    font-weight: 500;
    letter-spacing: 0.06em;
    text-transform: uppercase;
  }
  .person {
    display: flex;
    gap: 8px;
    align-items: center;
    min-block-size: 44px;
    margin-block-start: auto;
    padding-inline: 10px;
    border-radius: 12px;
    color: var(--ink2);
    font-size: 0.933rem;
    text-align: start;
  }
  .person .name {
    flex: 1;
    min-inline-size: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  [popover] {
    inline-size: min(20rem, 100vw - 24px);
    max-block-size: calc(100dvh - 24px);
    padding: 12px;
  }
  #person-menu {
    inset: auto auto 16px 16px;
  }
  .who {
    display: grid;
    padding: 6px 10px 10px;
    overflow-wrap: anywhere;
  }
  .content {
    display: flex;
    flex-direction: column;
    min-inline-size: 0;
    padding-block-end: var(--foot, 0px);
  }
  .top {
    display: flex;
    gap: 8px;
    align-items: center;
    padding: 20px 32px 0;
  }
  .top .merchant {
    display: none;
    min-inline-size: 0;
    margin: 0;
    padding: 0;
  }
  .top .space {
    flex: 1;
  }
  .finder {
    display: flex;
    gap: 10px;
    align-items: center;
    inline-size: min(100%, 27rem);
    min-block-size: 44px;
    padding-inline: 14px 10px;
    border: 1px solid var(--line);
    border-radius: 12px;
    background: var(--card);
    color: var(--ink2);
    text-align: start;
  }
  .finder span {
    flex: 1;
    min-inline-size: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  kbd {
    padding: 1px 6px;
    border: 1px solid var(--line);
    border-radius: 6px;
    color: var(--ink2);
    font: inherit;
    font-size: 0.8rem;
  }
  main {
    inline-size: 100%;
    max-inline-size: 1280px;
    padding: 22px 32px 40px;
  }
  .foot {
    display: none;
  }
  .alone {
    display: grid;
    min-block-size: 100dvh;
    place-content: safe center;
    grid-template-columns: minmax(0, 27rem);
    padding: 24px 16px;
  }
  @media (width < 860px) {
    :host {
      --foot: calc(60px + env(safe-area-inset-bottom));
    }
    .frame {
      display: block;
    }
    .side {
      display: none;
    }
    .top {
      padding: 10px 16px 0;
    }
    .top .merchant {
      display: flex;
      flex: 1;
    }
    .top .merchant strong {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .finder {
      inline-size: 44px;
      padding: 0;
      justify-content: center;
      border: 0;
      background: none;
    }
    .finder :is(span, kbd) {
      display: none;
    }
    .top .space {
      display: none;
    }
    main {
      padding: 14px 16px 32px;
    }
    .foot {
      display: grid;
      grid-auto-columns: minmax(0, 1fr);
      grid-auto-flow: column;
      position: fixed;
      z-index: 20;
      inset: auto 0 0;
      padding: 4px 4px env(safe-area-inset-bottom);
      border-block-start: 1px solid var(--line);
      background: var(--card);
    }
    .foot .to {
      display: grid;
      gap: 2px;
      justify-items: center;
      min-block-size: 55px;
      padding: 6px 2px;
      font-size: 0.733rem;
      text-align: center;
    }
    .foot .icon {
      inline-size: 22px;
      block-size: 22px;
    }
  }
`;
