import { ContextProvider } from '@lit/context';
import { html, LitElement, type TemplateResult } from 'lit';
import { createWords } from '../app/area-words.ts';
import { type DashboardContext, dashboardContext } from '../app/dashboard-context.ts';
import type { PageEntry } from '../app/dashboard-module.ts';
import type { DashboardPage } from '../app/dashboard-page.ts';
import { createLiveEvents } from '../app/live-events.ts';
import { createRouter, type Place } from '../app/router.ts';
import { createService } from '../app/service-client.ts';
import { endSession, hasRight, noticeTime, readSession, type Session } from '../app/session.ts';
import { errorNote, skeleton } from '../controls/states.ts';
import { controlStyles } from '../controls/styles.ts';
import { modules } from '../modules.ts';
import { signInPage } from '../sign-in/module.ts';
import { tellLoudEvents } from './announcements.ts';
import { appStyles } from './dashboard-app.styles.ts';
import { dashboardFrame, notFound } from './frame.ts';
import { openPalette } from './open-palette.ts';
import './toasts.ts';

type Shown = DashboardPage | TemplateResult | null;

interface Current {
  readonly page: PageEntry;
  /** The values in the path, as text that can be compared. */
  readonly params: string;
}

/**
 * `<pay-dashboard>`: the frame of the dashboard. Shows the page of the URL. Without a session, the sign-in page
 * replaces all pages that are not open (`isOpen`).
 */
class DashboardApp extends LitElement {
  static override readonly properties = { session: { state: true }, shown: { state: true }, isBusy: { state: true } };
  static override readonly styles = [controlStyles, appStyles];

  /** Undefined until the service has answered. */
  declare session: Session | null | undefined;
  declare shown: Shown;
  declare isBusy: boolean;

  readonly #live = createLiveEvents();
  readonly #service = createService({
    csrfToken: () => this.session?.csrf_token ?? null,
    signedOut: () => void this.#leave(),
  });
  readonly #router = createRouter(
    modules.flatMap(({ pages }) => pages),
    () => void this.#move(),
  );
  readonly #context: DashboardContext = {
    ...this.#service,
    ...createWords(modules),
    live: this.#live,
    go: this.#router.go,
    hasPage: this.#router.has,
    session: null,
    may: right => (this.session ? hasRight(this.session.role, right) : false),
    toast: toast => this.renderRoot.querySelector('pay-toasts')?.show(toast),
    setTitle: title => {
      document.title = `${title} · ${this.session?.merchant.name ?? 'Dashboard'}`;
    },
    refreshSession: () => this.#start(),
  };
  /** The page that is shown or being loaded. Null for an error, and for an unknown URL. */
  #current: Current | null = null;

  constructor() {
    super();
    this.shown = null;
    this.isBusy = true;
    Object.defineProperty(this.#context, 'session', { get: () => this.session ?? null });
    new ContextProvider(this, { context: dashboardContext, initialValue: this.#context });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#shortcut);
    this.#live.follow({}, ({ created_at: time }) => noticeTime(time));
    tellLoudEvents(this.#context);
    void this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#shortcut);
    this.#live.stop();
    this.#router.stop();
  }

  readonly #shortcut = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || !this.session) return;
    event.preventDefault();
    void openPalette(this.renderRoot);
  };

  async #start(): Promise<void> {
    // Loads the page's code while the session is read. A failure is shown when the page opens.
    this.#router
      .current()
      ?.page.load()
      .catch(() => undefined);
    try {
      this.session = await readSession(this.#service.calls);
    } catch (error) {
      this.shown = errorNote(error, () => void this.#start());
      this.isBusy = false;
      return;
    }
    this.#show(null, null);
    if (this.session) {
      const { merchant, livemode } = this.session;
      this.#live.start(this.#service.client, `${merchant.id}.${livemode}`);
    }
    await this.#move();
  }

  /**
   * Shows the sign-in page, and removes the results of the search and the toasts. The URL does not change, so the person
   * returns to the same page after signing in.
   */
  async #leave(): Promise<void> {
    this.#live.stop();
    this.session = null;
    this.renderRoot.querySelector('pay-palette')?.remove();
    this.renderRoot.querySelector('pay-toasts')?.clear();
    this.#show(null, null);
    await this.#move();
  }

  readonly #signOut = async (): Promise<void> => {
    await endSession(this.#service.calls).catch(() => undefined);
    await this.#leave();
  };

  async #move(): Promise<void> {
    if (this.session === undefined) return;
    const place = this.#router.current();
    const page = this.session === null && !place?.page.isOpen ? signInPage : (place?.page ?? null);
    if (page === null) this.#show(notFound(), null);
    else await this.#open(page, place);
  }

  async #open(page: PageEntry, place: Place | null): Promise<void> {
    const params = JSON.stringify(place?.params ?? {});
    const query = place?.query ?? new URLSearchParams();
    if (this.#current?.page === page && this.#current.params === params && this.shown instanceof HTMLElement) {
      this.shown.query = query;
      this.requestUpdate();
      return;
    }
    const isFirst = this.shown === null;
    this.isBusy = true;
    const current = { page, params };
    this.#current = current;
    try {
      await page.load();
      if (this.#current !== current) return;
      this.#context.setTitle(page.title);
      const element = document.createElement(page.tag) as DashboardPage;
      this.#show(Object.assign(element, { params: place?.params ?? {}, query }), current);
      if (!isFirst) await this.#focusTitle(element);
    } catch (error) {
      if (this.#current === current)
        this.#show(
          errorNote(error, () => location.reload()),
          null,
        );
    }
  }

  #show(shown: Shown, current: Current | null): void {
    this.#current = current;
    this.shown = shown;
    this.isBusy = false;
  }

  /** Moves the focus to the new page's title. Screen readers then announce it, and the keyboard continues there. */
  async #focusTitle(page: DashboardPage): Promise<void> {
    scrollTo(0, 0);
    await this.updateComplete;
    await page.updateComplete;
    page.renderRoot.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }

  override render(): TemplateResult {
    const { session, shown } = this;
    const isAlone = !session || this.#router.current()?.page.isOpen;
    const content = shown ?? skeleton();
    const page = isAlone
      ? html`<main class="alone" aria-busy=${this.isBusy}>${content}</main>`
      : dashboardFrame({
          session,
          content,
          modules,
          isBusy: this.isBusy,
          path: this.#router.current()?.path ?? '',
          signOut: () => void this.#signOut(),
          find: () => void openPalette(this.renderRoot),
        });
    return html`${page}<pay-toasts></pay-toasts>`;
  }
}

customElements.define('pay-dashboard', DashboardApp);

declare global {
  interface HTMLElementTagNameMap {
    'pay-toasts': import('./toasts.ts').Toasts;
  }
}
