/** The one stylesheet of the 3-D Secure page: the product's colours, light and dark, larger contrast where it is asked for. */
export const threeDSecureStyle = `:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --ink: #10151d; --second: #4c5665; --third: #687282; --line: #e3e7ec;
  --accent: #2f5bea; --accent-ink: #fff; --soft: #eef2ff; --good: #0f7a4b; --good-soft: #e7f6ee;
  --shadow: 0 1px 2px #10151d0d, 0 12px 32px #10151d14;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0c0f14; --card: #151a21; --ink: #f1f4f8; --second: #b3bdca; --third: #8d98a7; --line: #28303b;
    --accent: #7d9bff; --accent-ink: #0b1020; --soft: #1b2440; --good: #55d19a; --good-soft: #10281e;
    --shadow: none;
  }
}
@media (prefers-contrast: more) {
  :root { --second: var(--ink); --third: var(--ink); --line: var(--third); }
}
* { box-sizing: border-box; margin: 0; }
html { background: var(--page); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 16px;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: var(--ink); overflow-wrap: anywhere;
}
main {
  width: 100%; max-width: 412px; padding: 20px; background: var(--card); border: 1px solid var(--line);
  border-radius: 20px; box-shadow: var(--shadow);
}
.bank { display: flex; align-items: center; gap: 12px; font-weight: 650; }
.logo, .mark { display: grid; place-items: center; color: var(--accent); background: var(--soft); }
.logo { width: 40px; height: 40px; border-radius: 10px; }
.test {
  margin-inline-start: auto; padding: 2px 10px; border: 1px solid var(--line); border-radius: 999px;
  font-size: 13px; font-weight: 400; color: var(--second); white-space: nowrap;
}
h1 { margin-top: 24px; font-size: 20px; line-height: 1.25; font-weight: 650; }
.lead { margin-top: 4px; color: var(--second); }
.amount {
  margin-top: 16px; font-size: 38px; line-height: 1.15; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums;
}
.amount.long { font-size: 26px; }
dl { margin-top: 16px; border: 1px solid var(--line); border-radius: 12px; }
dl > div { display: flex; justify-content: space-between; gap: 16px; padding: 12px 16px; }
dl > div + div { border-top: 1px solid var(--line); }
dt { flex: none; color: var(--third); }
dd { text-align: end; font-variant-numeric: tabular-nums; }
form { display: grid; gap: 8px; margin-top: 20px; }
button, a.main {
  display: grid; place-items: center; width: 100%; min-height: 48px; padding: 8px 16px; border: 1px solid var(--line);
  border-radius: 12px; background: transparent; color: var(--ink); font: inherit; font-weight: 650;
  text-align: center; text-decoration: none; cursor: pointer;
}
button.main, a.main { min-height: 52px; border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
button.quiet { min-height: 44px; border-color: transparent; color: var(--second); font-weight: 400; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (hover: hover) {
  button:hover { border-color: var(--third); }
  button.main:hover, a.main:hover { filter: brightness(1.06); border-color: var(--accent); }
  button.quiet:hover { border-color: transparent; text-decoration: underline; }
}
.mark { width: 56px; height: 56px; margin: 32px auto 0; border-radius: 50%; }
.mark.good { color: var(--good); background: var(--good-soft); }
.mark.calm { color: var(--second); background: var(--page); }
.center { text-align: center; }
h1.center { margin-top: 16px; }
a.main { margin-top: 24px; }
.note { margin-top: 16px; font-size: 13px; color: var(--third); text-align: center; }
`;
