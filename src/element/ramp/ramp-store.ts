import type { SessionKyc } from '../../api/kyc/kyc.ts';
import type {
  CreatedRamp,
  CreateRamp,
  CreateRampQuote,
  CustomerRamp,
  RampOptions,
  RampQuote,
} from '../../api/ramps/ramp.ts';
import { ApiProblem, type CheckoutApi, newKey } from '../state/checkout-api.ts';

/** The call that the widget is waiting for. */
export type RampTask = 'load' | 'quote' | 'create' | 'kyc' | 'cancel';

/** A call that failed. `message` is blank if the service did not answer. */
export interface RampProblem {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly task: RampTask;
}

/** What the widget shows. Amounts and states are the service's latest. */
export interface RampState {
  readonly options: RampOptions | null;
  readonly quote: RampQuote | null;
  readonly ramp: CustomerRamp | null;
  readonly kyc: SessionKyc | null;
  readonly busy: RampTask | null;
  readonly problem: RampProblem | null;
}

export const emptyState: RampState = {
  options: null,
  quote: null,
  ramp: null,
  kyc: null,
  busy: null,
  problem: null,
};

/** A ramp's id and client secret. */
export interface RampHandle {
  readonly id: string;
  readonly secret: string;
}

const finalStates: readonly string[] = ['completed', 'refunded', 'expired'];

/** Whether nothing more happens to the ramp by itself. */
export const isOver = ({ status }: Pick<CustomerRamp, 'status'>): boolean => finalStates.includes(status);

/** Milliseconds between two readings of a ramp. Its payment has live updates of its own. */
const pollMs = 2_500;

interface StoreDeps {
  readonly api: CheckoutApi;
  readonly onChange: (state: RampState, before: RampState) => void;
}

/** State and calls of one widget. It knows no DOM. */
export class RampStore {
  readonly #deps: StoreDeps;
  #state = emptyState;
  #handle: RampHandle | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasStopped = false;
  /** Counts quotes: an answer that came after a newer question is dropped. */
  #asked = 0;

  constructor(deps: StoreDeps) {
    this.#deps = deps;
  }

  get state(): RampState {
    return this.#state;
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
  }

  loadOptions(currency: string): Promise<void> {
    return this.#run('load', async api => {
      const { value } = await api.call<RampOptions>(`ramps/options?currency=${encodeURIComponent(currency)}`, {});
      this.#set({ options: value });
    });
  }

  /** Asks for a price. Null: there is nothing to price. A newer question replaces the one that is running. */
  async quote(body: CreateRampQuote | null): Promise<void> {
    const count = ++this.#asked;
    const isNewest = () => count === this.#asked;
    if (body === null) return this.#set({ quote: null, busy: this.#state.busy === 'quote' ? null : this.#state.busy });
    this.#set({ busy: 'quote', problem: null });
    try {
      const { value } = await this.#deps.api.call<RampQuote>('ramps/quotes', { body, key: newKey() });
      if (isNewest()) this.#set({ quote: value, busy: null });
    } catch (error) {
      if (isNewest()) this.#set({ quote: null, busy: null, problem: problemOf(error, 'quote') });
    }
  }

  /** Begins the ramp under the idempotency key. Returns its handle, or null after a failure. */
  async create(body: CreateRamp, key: string): Promise<RampHandle | null> {
    await this.#run('create', async api => {
      const { value } = await api.call<CreatedRamp & CustomerRamp>('ramps', { body, key });
      const { client_secret: secret, widget_url: _url, ...ramp } = value;
      this.#handle = { id: ramp.id, secret };
      this.#take(ramp);
    });
    return this.#handle ?? null;
  }

  /** Opens a known ramp. */
  open(handle: RampHandle): Promise<void> {
    this.#handle = handle;
    return this.#run('load', () => this.#read());
  }

  /** Reads the ramp now, for example after its payment has changed. */
  async look(): Promise<void> {
    await this.#read().catch(() => {});
  }

  readKyc(): Promise<void> {
    return this.#run('load', async (api, handle) => {
      const { value } = await api.call<SessionKyc>(`ramps/${handle.id}/kyc`, {}, handle.secret);
      this.#set({ kyc: value });
    });
  }

  giveKyc(body: FormData): Promise<void> {
    return this.#run('kyc', async (api, handle) => {
      const call = { method: 'PUT', body };
      const { value } = await api.call<SessionKyc>(`ramps/${handle.id}/kyc`, call, handle.secret);
      this.#set({ kyc: value });
      await this.look();
    });
  }

  cancel(): Promise<void> {
    return this.#run('cancel', async (api, handle) => {
      const call = { body: {}, key: newKey() };
      const { value } = await api.call<CustomerRamp>(`ramps/${handle.id}/cancel`, call, handle.secret);
      this.#take(value);
    });
  }

  async #read(): Promise<void> {
    const handle = this.#handle;
    if (!handle) return;
    const { value } = await this.#deps.api.call<CustomerRamp>(`ramps/${handle.id}`, {}, handle.secret);
    this.#take(value);
  }

  #take(ramp: CustomerRamp): void {
    if (JSON.stringify(ramp) !== JSON.stringify(this.#state.ramp)) this.#set({ ramp });
    clearTimeout(this.#timer);
    if (this.#hasStopped || isOver(ramp)) return;
    this.#timer = setTimeout(() => this.#follow(), pollMs);
  }

  /** Reads the ramp and its identity check again. `#take` sets the next timer; after a failure, this does. */
  async #follow(): Promise<void> {
    this.#timer = setTimeout(() => this.#follow(), pollMs * 2);
    await this.#refreshKyc();
    await this.look();
  }

  /** Reads the identity check again while it is under review. */
  async #refreshKyc(): Promise<void> {
    const { kyc, ramp, busy } = this.#state;
    const handle = this.#handle;
    if (busy || !handle || ramp?.status !== 'incomplete' || kyc?.status !== 'under_review') return;
    const path = `ramps/${handle.id}/kyc`;
    const seen = await this.#deps.api.call<SessionKyc>(path, {}, handle.secret).catch(() => null);
    if (seen && JSON.stringify(seen.value) !== JSON.stringify(kyc)) this.#set({ kyc: seen.value });
  }

  #set(change: Partial<RampState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    if (!this.#hasStopped) this.#deps.onChange(this.#state, before);
  }

  /** Runs one task, unless another task than a quote is running. */
  async #run(task: RampTask, work: (api: CheckoutApi, handle: RampHandle) => Promise<void>): Promise<void> {
    const { busy } = this.#state;
    if (busy && busy !== 'quote') return;
    this.#asked++;
    this.#set({ busy: task, problem: null });
    try {
      await work(this.#deps.api, this.#handle as RampHandle);
    } catch (error) {
      this.#set({ problem: problemOf(error, task) });
    } finally {
      this.#set({ busy: null });
    }
  }
}

function problemOf(error: unknown, task: RampTask): RampProblem {
  const { code, message, status } = error instanceof ApiProblem ? error : new ApiProblem('unexpected', '', 0);
  return { code, message, status, task };
}
