import type { IconName } from '../controls/icons.ts';
import type { AreaWords } from './area-words.ts';
import type { DashboardContext } from './dashboard-context.ts';
import type { Right } from './session.ts';

/** A page of the dashboard. */
export interface PageEntry {
  /** The path below `/dashboard` as a URLPattern, for example `/payments/:id`. */
  readonly path: string;
  /** The title of the browser's tab until the page sets its own title. */
  readonly title: string;
  /** The custom element that `load` defines. */
  readonly tag: `pay-${string}`;
  readonly load: () => Promise<unknown>;
  /** Whether the page is shown without a session and without navigation, for example to accept an invitation. */
  readonly isOpen?: true;
}

/** The groups of the navigation, in order. `main` has no heading. */
export type NavigationGroup = 'main' | 'money' | 'account';

/** One entry of the navigation. */
export interface NavigationEntry {
  readonly label: string;
  readonly icon: IconName;
  /** The path of its page. Paths below it also mark the entry as current. */
  readonly path: string;
  /** Paths of further pages that mark the entry as current. */
  readonly further?: readonly string[];
  readonly group: NavigationGroup;
  /** Position in the group, ascending. */
  readonly order: number;
  /** Whether a phone shows the entry in the bar at the foot. The bar's menu "More" has all entries. */
  readonly isAtFoot?: true;
}

/** An action of the command palette. */
export interface PaletteAction {
  readonly label: string;
  /** More words by which the palette finds the action. */
  readonly words?: string;
  readonly path: string;
  /** Whether the palette offers the action to this person. Default: to every person. */
  readonly isFor?: (app: Pick<DashboardContext, 'session' | 'may'>) => boolean;
}

/** Offers an action only to roles with the right. */
export const withRight =
  (right: Right): Required<PaletteAction>['isFor'] =>
  app =>
    app.may(right);

/** One area of the dashboard, as it is registered with the frame. */
export interface DashboardModule extends AreaWords {
  readonly pages: readonly PageEntry[];
  readonly navigation?: readonly NavigationEntry[];
  /** Actions of the command palette, besides the pages of the navigation. */
  readonly search?: readonly PaletteAction[];
}
