import type { Strings } from './strings/en.ts';
import type { ViewModule } from './view-rack.ts';

/** The languages besides English, by their code. */
export const languageChunks: Readonly<Record<string, () => Promise<{ readonly strings: Strings }>>> = {
  ar: () => import('./strings/ar.ts'),
  ja: () => import('./strings/ja.ts'),
};

/** Rows are a chunk of their own, because the receipt has them, too; fetched beside the view that shows them. */
const withRows = async <V>(view: Promise<V>): Promise<V> => (await Promise.all([view, import('./parts/rows.ts')]))[0];

/**
 * Views that travel only when they are shown; the first three are methods. Every dynamic import of the element is
 * here, but for what one method alone wants: see `methods/crypto-chunks.ts`.
 */
export const viewChunks = {
  card: () => import('./methods/card.ts'),
  bank_transfer: () => withRows(import('./methods/bank.ts')),
  crypto: () => withRows(import('./methods/crypto.ts')),
  /** Asks for e-mail and name. */
  details: () => import('./parts/details.ts'),
  /** The page of the card's bank (3-D Secure). */
  challenge: () => import('./methods/bank-page.ts'),
  /** Why there is no payment to show. */
  trouble: () => import('./parts/trouble.ts'),
  /** Everything below the tabs: what is unusual, the methods' panels, the main button. */
  panels: () => import('./parts/panels.ts'),
  /** How it ended. */
  outcome: () => import('./parts/outcome.ts'),
  /** The button and the dialog of the modes `redirect` and `popup`. */
  launcher: () => import('./parts/launcher.ts'),
} as const satisfies Record<string, () => Promise<ViewModule>>;

/** A view by name. */
export type ViewName = keyof typeof viewChunks;

/** What all of them are furnished with; fetched beside the first, so that none has to wait for it. */
export const furniture = () => import('./parts/furniture.ts');

/** Live updates, wanted once a payment is on the screen. */
export const liveUpdates = () => import('./live-updates.ts');

/** The drawing of QR codes, wanted where one is shown. */
export const qrCode = () => import('./parts/qr-code.ts');

/** Taking up the payment of an earlier visit. */
export const resumption = () => import('./resume.ts');
