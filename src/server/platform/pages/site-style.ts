/**
 * The style sheet of the landing page, the page for unknown URLs and the sandbox outbox. The checkout has the same
 * colours and sizes.
 */
export const siteStyle = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --ink: #10151d; --ink-2: #4c5665; --ink-3: #687282; --line: #e3e7ec;
  --accent: #2f5bea; --accent-ink: #fff; --soft: #eef2ff; --good: #0f7a4b; --good-soft: #e7f6ee; --warn: #8a5300; --warn-soft: #fff5e3;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0c0f14; --card: #151a21; --ink: #f1f4f8; --ink-2: #b3bdca; --ink-3: #8d98a7; --line: #28303b;
    --accent: #7d9bff; --accent-ink: #0b1020; --soft: #1b2440; --good: #55d19a; --good-soft: #10281e; --warn: #f0b95c; --warn-soft: #2a2112;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 24px; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
}
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3, h4 { line-height: 1.2; font-weight: 650; text-wrap: balance; margin: 0; }
p { margin: 0 0 12px; max-width: 68ch; }
code, pre, .mono { font-family: var(--mono); font-size: 13px; }
code { overflow-wrap: anywhere; }
:not(pre) > code { background: var(--soft); border-radius: 5px; padding: 1px 3px; }
pre {
  margin: 0; padding: 16px; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  line-height: 1.55; tab-size: 2;
}
.card { background: var(--card); border: 1px solid var(--line); border-radius: 20px; padding: 24px; }
.quiet { color: var(--ink-2); }
.button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 52px; padding: 0 24px; border-radius: 12px;
  background: var(--accent); color: var(--accent-ink); font-weight: 600; font-size: 16px; text-decoration: none;
}
.button.second { background: transparent; color: var(--ink); border: 1px solid var(--line); }
.button:hover { filter: brightness(1.06); }
.label { color: var(--ink-3); font-size: 13px; }

/* Landing */
.home { max-width: 880px; margin: 0 auto; padding: 40px 20px 64px; }
.home header { display: flex; align-items: center; gap: 12px; margin-bottom: 56px; font-weight: 650; font-size: 17px; }
.home header img { width: 32px; height: 32px; }
.mode { margin-inline-start: auto; font-size: 13px; font-weight: 600; color: var(--warn); background: var(--warn-soft); border-radius: 99px; padding: 4px 12px; }
.home h1 { font-size: clamp(34px, 7vw, 56px); letter-spacing: -0.025em; line-height: 1.06; margin-bottom: 16px; }
.home .lead { font-size: 18px; color: var(--ink-2); max-width: 54ch; margin-bottom: 28px; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; margin-bottom: 56px; }
.home section { margin-bottom: 20px; }
.home h2 { font-size: 20px; margin-bottom: 6px; }
.home section > p { color: var(--ink-2); margin-bottom: 18px; }
.keys { margin: 0; display: grid; gap: 14px; }
.keys dt { color: var(--ink-3); font-size: 13px; margin-bottom: 2px; }
.keys dd { margin: 0; user-select: all; overflow-wrap: anywhere; }
.keys dd code { background: none; padding: 0; font-size: 14px; }
.home section pre { background: var(--page); }
.home footer { display: flex; flex-wrap: wrap; gap: 8px 24px; padding-top: 20px; color: var(--ink-3); font-size: 14px; }
.home footer a { color: var(--ink-2); }
@media (max-width: 480px) { .actions .button { flex: 1 1 100%; } .card { padding: 20px; } }

/* Outbox */
.mail-search { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; margin: 0 0 20px; }
.mail-search label { color: var(--ink-2); }
.mail-search input { flex: 1 1 220px; min-width: 0; min-height: 44px; padding: 0 14px; border: 1px solid var(--ink-3); border-radius: 12px; background: var(--card); color: inherit; font: inherit; }
.mail-search .button { min-height: 44px; padding-block: 0; font: inherit; font-weight: 600; }
.mails { list-style: none; margin: 0; padding: 0; }
.mails a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 16px; padding: 14px 0; border-top: 1px solid var(--line); color: inherit; text-decoration: none; }
.mails li:first-child a { border-top: 0; }
.mails b { font-weight: 600; overflow-wrap: anywhere; }
.mails a:hover b { color: var(--accent); }
.mails .quiet { overflow-wrap: anywhere; }
@media (max-width: 480px) { .mails a { grid-template-columns: minmax(0, 1fr); } }
.state { font-size: 13px; font-weight: 600; color: var(--good); }
.state.failed { color: var(--warn); }
.state.queued, .state.canceled { color: var(--ink-3); }
/* Smaller than other titles, because mail subjects are longer than page titles. */
.home h1.mail-title { font-size: 24px; letter-spacing: -0.01em; line-height: 1.25; }
.mail-facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 6px 20px; margin: 0 0 20px; }
.mail-facts dt { color: var(--ink-3); }
.mail-facts dd { margin: 0; overflow-wrap: anywhere; }
.mail-sheet { display: block; width: 100%; height: 720px; border: 1px solid var(--line); border-radius: 16px; background: #fff; margin-bottom: 20px; }
.mail-text { white-space: pre-wrap; overflow-wrap: anywhere; }
`.trim();
