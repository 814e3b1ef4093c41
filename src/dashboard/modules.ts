import type { DashboardModule } from './app/dashboard-module.ts';
import { balance } from './balance/module.ts';
import { customers } from './customers/module.ts';
import { developers } from './developers/module.ts';
import { home } from './home/module.ts';
import { invoices } from './invoices/module.ts';
import { links } from './links/module.ts';
import { payments } from './payments/module.ts';
import { payouts } from './payouts/module.ts';
import { ramps } from './ramps/module.ts';
import { settings } from './settings/module.ts';
import { settlement } from './settlement/module.ts';
import { signIn } from './sign-in/module.ts';
import { team } from './team/module.ts';

/**
 * All areas of the dashboard. To add an area:
 *
 * 1. Create `src/dashboard/<area>/module.ts`, which exports a `DashboardModule`: the area's pages, navigation entries,
 * actions for the command palette, and words for events and waiting work. Add the module to this list. The file must
 * stay small, because the first view loads it. Pages load at the first visit.
 * 2. Write each page as a class that extends `DashboardPage` (`app/dashboard-page.ts`) in its own file, and end the
 * file with `customElements.define('pay-<name>-page', …)`. Its `render` returns `pageFrame({ title, actions, body })`.
 * 3. `this.app` is the frame (`app/dashboard-context.ts`): `client` is the typed client of the API, `calls` makes other
 * calls by path, `session` has the person, the merchant and the role, `may('money')` says what the role allows,
 * `go(path)` opens a page, `toast(…)` shows a message. `this.follow(…)` delivers events of the service.
 * 4. `new Loaded(this, signal => …)` loads one value, and its `render` shows the skeleton and the error note.
 * `new PagedRows(this, …)` loads a list for `<pay-data-table>`. A page shows only data that the server has sent.
 * 5. Build from the controls in `controls/`: `<pay-data-table>` (cards on a phone), `filtersBar`, `keyValues`,
 * `timeline`, `statusChip`, `moneyOf`, `timeText`, `<pay-dialog>`, `formField` with `fieldErrors`, `emptyState`,
 * `skeleton`, `errorNote`, `copyButton`. `controls/styles.ts` has the shared classes: `card`, `grid`, `main`, `second`.
 * 6. Paths are relative to `/dashboard`, so a link is `href=${pathTo('/payments')}`. The frame handles clicks on links.
 * 7. An action that moves money or deletes shows `effectsTable` in a dialog before it calls the service.
 * 8. Test a page in a real browser with `mountPage` of `test/dashboard/support`.
 */
export const modules: readonly DashboardModule[] = [
  home,
  payments,
  links,
  invoices,
  payouts,
  ramps,
  customers,
  balance,
  developers,
  settings,
  settlement,
  team,
  signIn,
];
