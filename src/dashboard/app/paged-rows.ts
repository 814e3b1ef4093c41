import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CallOptions, ListParams, Page } from '../../api/client.ts';
import { Soon } from './soon.ts';

interface Row {
  readonly id: string;
}

const none = { data: [], has_more: false };

/** Number of rows that one call loads. */
export const pageSize = 50;
/** Milliseconds between two readings of a filtered list while events arrive. */
const pauseMs = 500;

/**
 * Loads one page. `page` contains the size, and after the first page the cursor. Null: there is nothing to load for
 * this person.
 */
type Load<T> = (page: Pick<ListParams, 'limit' | 'starting_after'>, options: CallOptions) => Promise<Page<T>> | null;

/** The element that shows the list. A page also has the list's filters in `query`. */
interface Host extends ReactiveControllerHost {
  readonly query?: URLSearchParams;
}

/**
 * The rows of a list. They are loaded page by page, and loaded again when the host's query changes. `<pay-data-table
 * .rows=${…}>` shows the rows.
 */
export class PagedRows<T extends Row> implements ReactiveController {
  /** The loaded pages. An unchanged page stays the same array, so that the table does not render its rows again. */
  pages: readonly (readonly T[])[] = [];
  hasMore = false;
  isLoading = false;
  error: unknown = null;
  readonly #host: Host;
  readonly #load: Load<T>;
  /** The query for which the rows were loaded. */
  #query: URLSearchParams | undefined;
  #running = new AbortController();
  readonly #soon: Soon;

  constructor(host: Host, load: Load<T>) {
    this.#host = host;
    this.#load = load;
    this.#soon = new Soon(host, async () => await this.#refresh(), pauseMs);
    host.addController(this);
  }

  hostConnected(): void {
    void this.reload();
  }

  hostUpdate(): void {
    if (this.#host.query !== this.#query) void this.reload();
  }

  hostDisconnected(): void {
    this.#running.abort();
  }

  get count(): number {
    return this.pages.reduce((sum, page) => sum + page.length, 0);
  }

  /** Whether the service has answered that the list has no rows. */
  get isEmpty(): boolean {
    return !this.isLoading && this.error === null && this.count === 0;
  }

  /** Loads the first page again, for example with other filters. */
  async reload(): Promise<void> {
    this.#running.abort();
    this.#query = this.#host.query;
    await this.#read(undefined);
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    if (this.isLoading || !this.hasMore) return;
    await this.#read(this.pages.at(-1)?.at(-1)?.id);
  }

  /** Replaces the row with the same id. Returns whether there was one. */
  replace(row: T): boolean {
    const index = this.pages.findIndex(page => page.some(({ id }) => id === row.id));
    if (index < 0) return false;
    this.pages = this.pages.map((page, at) =>
      at === index ? page.map(each => (each.id === row.id ? row : each)) : page,
    );
    this.#host.requestUpdate();
    return true;
  }

  /** Adds a new row at the top. */
  add(row: T): void {
    this.pages = [[row], ...this.pages];
    this.#host.requestUpdate();
  }

  /**
   * Shows a row that an event brought. Without filters, a created row is added at the top. With filters, the first page
   * is read again, because the row may match now, or match no longer.
   */
  show(row: T, isCreated: boolean): void {
    const isKnown = this.replace(row);
    if ((this.#host.query?.size ?? 0) > 0) this.#soon.ask();
    else if (!isKnown && isCreated) this.add(row);
  }

  /** Reads the first page again, unless the person has loaded more pages and reads further down. */
  async #refresh(): Promise<void> {
    if (this.count <= pageSize) await this.reload();
  }

  remove(id: string): void {
    this.pages = this.pages.map(page => (page.some(row => row.id === id) ? page.filter(row => row.id !== id) : page));
    this.#host.requestUpdate();
  }

  async #read(after: string | undefined): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.isLoading = true;
    this.error = null;
    this.#host.requestUpdate();
    try {
      const cursor = after === undefined ? {} : { starting_after: after };
      const page = (await this.#load({ limit: pageSize, ...cursor }, { signal: running.signal })) ?? none;
      if (running.signal.aborted) return;
      this.pages = after === undefined ? [page.data] : [...this.pages, page.data];
      this.hasMore = page.has_more;
    } catch (error) {
      if (running.signal.aborted) return;
      this.error = error;
    }
    this.isLoading = false;
    this.#host.requestUpdate();
  }
}
