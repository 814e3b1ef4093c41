import type { CardFrameStrings } from '../../api/card-frame.ts';
import type { bankStrings } from './en/bank.ts';
import type { cardStrings } from './en/card.ts';
import type { challengeStrings } from './en/challenge.ts';
import type { contactStrings } from './en/contact.ts';
import type { cryptoStrings } from './en/crypto.ts';
import type { detailsStrings } from './en/details.ts';
import type { launcherStrings } from './en/launcher.ts';
import type { outcomeStrings } from './en/outcome.ts';
import type { panelStrings } from './en/panels.ts';
import type { payLinkStrings } from './en/pay-link.ts';
import type { rateStrings } from './en/rate.ts';
import type { rowStrings } from './en/rows.ts';
import type { situationStrings } from './en/situation.ts';
import type { troubleStrings } from './en/trouble.ts';
import type { walletStrings } from './en/wallet.ts';

/** The sentences of all parts after the first screen. */
export interface Parts {
  readonly bank: typeof bankStrings;
  readonly challenge: typeof challengeStrings;
  readonly card: typeof cardStrings;
  readonly cardFrame: CardFrameStrings;
  readonly contact: typeof contactStrings;
  readonly crypto: typeof cryptoStrings;
  readonly details: typeof detailsStrings;
  readonly launcher: typeof launcherStrings;
  readonly outcome: typeof outcomeStrings;
  readonly panels: typeof panelStrings;
  readonly payLink: typeof payLinkStrings;
  readonly rate: typeof rateStrings;
  readonly rows: typeof rowStrings;
  readonly situation: typeof situationStrings;
  readonly trouble: typeof troubleStrings;
  readonly wallet: typeof walletStrings;
  /** The service's error messages by code; the service sends them in English. Text before `|` is bold. */
  readonly problems: Readonly<Record<string, string>>;
}
