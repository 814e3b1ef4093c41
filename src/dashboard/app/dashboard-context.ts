import { createContext } from '@lit/context';
import type { Words } from './area-words.ts';
import type { LiveEvents } from './live-events.ts';
import type { Service } from './service-client.ts';
import type { Right, Session } from './session.ts';

/** A short message that confirms an action or reports an event. */
export interface Toast {
  readonly text: string;
  /** The text of the second line. */
  readonly detail?: string;
  readonly tone?: 'good' | 'warn' | 'bad' | 'plain';
  /** The page below `/dashboard` that opens when the person presses the message. */
  readonly path?: string;
}

/** The data and functions that the frame offers to pages and controls. */
export interface DashboardContext extends Service, Words {
  /** The person, the merchant and the role. Null without a session. */
  readonly session: Session | null;
  /** Whether the person's role allows calls of this kind. False without a session. */
  may(right: Right): boolean;
  /** Opens a path below `/dashboard`. */
  go(path: string, options?: { readonly replace?: boolean }): void;
  /** Whether the dashboard has a page at this path. */
  hasPage(path: string): boolean;
  toast(toast: Toast): void;
  /** Sets the title of the browser's tab. Adds the merchant's name. */
  setTitle(title: string): void;
  readonly live: LiveEvents;
  /** Reads the session again, and creates the page anew. For example after a sign-in or a change of the person. */
  refreshSession(): Promise<void>;
}

export const dashboardContext = createContext<DashboardContext>('pay-dashboard');
