import { createContext } from '@lit/context';
import type { LiveEvents } from './live-events.ts';
import type { Service } from './service-client.ts';
import type { Right, Session } from './session.ts';

/** A short message that confirms something, or reports an event. */
export interface Toast {
  readonly text: string;
  /** A second line. */
  readonly detail?: string;
  readonly tone?: 'good' | 'warn' | 'bad' | 'plain';
  /** The page that a press opens, below `/dashboard`. */
  readonly path?: string;
}

/** The frame, as pages and controls see it. */
export interface DashboardContext extends Service {
  /** The person, the merchant and the role. Pages that are open without a session get null. */
  readonly session: Session | null;
  /** Whether the role admits calls of that kind. */
  may(right: Right): boolean;
  /** Opens a path below `/dashboard`. */
  go(path: string, options?: { readonly replace?: boolean }): void;
  /** Whether the dashboard has a page at this path. */
  hasPage(path: string): boolean;
  toast(toast: Toast): void;
  /** Sets the title of the browser's tab. */
  setTitle(title: string): void;
  readonly live: LiveEvents;
  /** Reads the session again, after a sign-in, a sign-out or a change of the person. */
  refreshSession(): Promise<void>;
}

export const dashboardContext = createContext<DashboardContext>('pay-dashboard');
