/** The style sheet of the landing page and the documentation. The checkout has the same colours and sizes. */
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
/* Mail subjects are longer than page titles. */
.home h1.mail-title { font-size: 24px; letter-spacing: -0.01em; line-height: 1.25; }
.mail-facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 6px 20px; margin: 0 0 20px; }
.mail-facts dt { color: var(--ink-3); }
.mail-facts dd { margin: 0; overflow-wrap: anywhere; }
.mail-sheet { display: block; width: 100%; height: 720px; border: 1px solid var(--line); border-radius: 16px; background: #fff; margin-bottom: 20px; }
.mail-text { white-space: pre-wrap; overflow-wrap: anywhere; }

/* Documentation */
.docs { display: grid; grid-template-columns: 264px minmax(0, 1fr); max-width: 1240px; margin: 0 auto; }
.docs > nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 32px 20px; font-size: 14px; }
.docs > nav > a { display: block; color: var(--ink); font-weight: 650; text-decoration: none; margin-bottom: 4px; padding: 4px 0; }
.docs > nav h2 { font-size: 12px; font-weight: 600; color: var(--ink-3); text-transform: uppercase; letter-spacing: 0.05em; margin: 20px 0 4px; }
.docs > nav h2 a { color: inherit; text-decoration: none; }
.docs > nav ul { list-style: none; margin: 0; padding: 0; }
.docs > nav li a { display: block; padding: 4px 0; color: var(--ink-2); text-decoration: none; }
.docs > nav a:hover { color: var(--accent); }
.docs main { padding: 40px 24px 96px; min-width: 0; }
.docs h1 { font-size: 32px; letter-spacing: -0.02em; margin-bottom: 12px; }
.docs h2 { font-size: 24px; letter-spacing: -0.01em; margin: 56px 0 8px; }
.docs h3 { font-size: 18px; margin: 28px 0 8px; }
.docs h4 { font-size: 13px; color: var(--ink-3); margin: 22px 0 4px; font-weight: 600; }
.docs main ul { padding-inline-start: 20px; margin: 0 0 12px; }
.docs main li { margin-bottom: 6px; max-width: 68ch; }
.operation { margin: 16px 0; scroll-margin-top: 16px; }
.operation > h3 { margin: 0 0 6px; }
.operation > h3 a { color: inherit; text-decoration: none; }
.call { display: flex; flex-wrap: wrap; align-items: baseline; gap: 10px; margin-bottom: 10px; font-family: var(--mono); font-size: 14px; overflow-wrap: anywhere; }
.verb { font-weight: 700; color: var(--accent); }
.verb.delete { color: var(--warn); }
.verb.get { color: var(--good); }
.who { font-size: 13px; color: var(--ink-2); }
.operation pre { background: var(--page); margin-top: 12px; }
.fields { list-style: none; margin: 0 !important; padding: 0 !important; }
.fields .fields { border-inline-start: 2px solid var(--line); padding-inline-start: 14px !important; margin-top: 6px !important; }
.fields > li { padding: 7px 0; border-top: 1px solid var(--line); margin: 0 !important; max-width: none !important; }
.fields > li:first-child { border-top: 0; }
.fields b { font-family: var(--mono); font-size: 13px; font-weight: 600; }
.fields .type { color: var(--ink-3); font-size: 13px; margin-inline-start: 6px; }
.fields .must { color: var(--warn); font-size: 12px; margin-inline-start: 6px; }
.fields p { margin: 2px 0 0; color: var(--ink-2); font-size: 14px; }
details > summary { cursor: pointer; color: var(--ink-2); font-size: 14px; min-height: 32px; padding: 6px 0; }
.codes { width: 100%; border-collapse: collapse; margin-top: 20px; }
.codes th { text-align: start; font-size: 13px; color: var(--ink-3); font-weight: 600; padding: 8px 12px 8px 0; }
.codes td { border-top: 1px solid var(--line); padding: 10px 12px 10px 0; vertical-align: top; }
.codes tr:target td { background: var(--soft); }
.codes p { margin: 0; }
.codes td:first-child code { background: none; padding: 0; font-weight: 600; overflow-wrap: normal; }
@media (max-width: 860px) {
  .docs { display: block; }
  .docs > nav { position: static; max-height: none; padding: 16px 20px; border-bottom: 1px solid var(--line); background: var(--card); }
  .docs > nav h2 + ul { display: none; }
  .docs > nav > ul { display: flex; gap: 20px; }
  .docs > nav h2 { display: inline-block; margin: 4px 18px 4px 0; text-transform: none; letter-spacing: 0; font-size: 14px; }
  .docs > nav h2 a { display: inline-block; padding: 8px 0; color: var(--accent); }
  .docs main { padding: 24px 20px 64px; }
  .codes thead { display: none; }
  .codes td { display: block; border: 0; padding: 0; }
  .codes tr { display: block; border-top: 1px solid var(--line); padding: 12px 0; }
}
`.trim();
