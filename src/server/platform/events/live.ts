import pg from 'pg';
import type { Log } from '../jobs/sweeper.ts';
import { type ChangeNotice, changeChannel } from './outbox.ts';

/** What to listen to: the changes of one object, or of all objects of a merchant. */
export interface Topic {
  readonly merchantId: string;
  readonly resourceId?: string;
}

interface LiveDeps {
  /** Connection settings of the database, as for the pool. */
  readonly connection: pg.ClientConfig;
  readonly log: Log;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;
const checkEveryMs = 10_000;

/** Notifies subscribers of changes in this process and in all other processes. */
export type Live = ReturnType<typeof createLive>;

/** Creates live updates with one LISTEN connection for the whole process. */
export function createLive({ connection, log }: LiveDeps) {
  const subscribers = createSubscribers(log);
  const line = createLine({
    connection,
    log,
    onNotice: payload => {
      const notice = parseNotice(payload);
      if (notice !== null) subscribers.tell(notice);
    },
    onConnected: subscribers.tellAll,
  });
  return {
    /** Connects. Also resolves if the database is unreachable; further attempts follow. */
    start: line.open,
    stop: line.close,
    /**
     * Calls back after each change. Also calls back after each new connection, because changes may have been missed.
     * Returns the function that ends the subscription.
     */
    subscribe: ({ merchantId, resourceId }: Topic, onChange: () => void) =>
      subscribers.add(resourceId === undefined ? merchantId : `${merchantId} ${resourceId}`, onChange),
    /** Calls back with the notice of each change of any merchant. Null: changes may have been missed. */
    subscribeToAll: (onChange: (notice: ChangeNotice | null) => void) => subscribers.add('', onChange),
    /** Notifies this process's subscribers of a change that sent no database notice (see `changeChannel`). */
    announce: subscribers.tell,
  };
}

/** Reads a notice. Null for foreign text, because every user of the database may notify on the channel. */
function parseNotice(payload: string): ChangeNotice | null {
  try {
    const { merchantId, resourceId, dispatches } = JSON.parse(payload);
    const isNotice = typeof merchantId === 'string' && typeof resourceId === 'string';
    return isNotice ? { merchantId, resourceId, dispatches: dispatches === true } : null;
  } catch {
    return null;
  }
}

function createSubscribers(log: Log) {
  type Callback = (notice: ChangeNotice | null) => void;
  const byTopic = new Map<string, Set<Callback>>();
  function call(callbacks: Iterable<Callback>, notice: ChangeNotice | null): void {
    for (const callback of [...callbacks]) {
      try {
        callback(notice);
      } catch (error) {
        log.error({ err: error }, 'a live subscriber failed');
      }
    }
  }
  return {
    add: (topic: string, onChange: Callback): (() => void) => {
      const callbacks = byTopic.get(topic) ?? new Set();
      // Each subscription has its own function, so that one callback can be subscribed twice.
      const callback: Callback = notice => onChange(notice);
      byTopic.set(topic, callbacks.add(callback));
      return () => {
        callbacks.delete(callback);
        if (callbacks.size === 0 && byTopic.get(topic) === callbacks) byTopic.delete(topic);
      };
    },
    tell: (notice: ChangeNotice): void => {
      const { merchantId, resourceId } = notice;
      for (const topic of ['', merchantId, `${merchantId} ${resourceId}`]) call(byTopic.get(topic) ?? [], notice);
    },
    tellAll: (): void => {
      for (const callbacks of [...byTopic.values()]) call(callbacks, null);
    },
  };
}

interface LineDeps extends LiveDeps {
  readonly onNotice: (payload: string) => void;
  readonly onConnected: () => void;
}

/** A LISTEN connection. Replaces a broken or silent connection. The pauses between failed attempts grow. */
function createLine(deps: LineDeps) {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failures = 0;

  async function open(): Promise<void> {
    const fresh = new pg.Client({ ...deps.connection, query_timeout: 5_000, application_name: 'pay-checkout live' });
    let lost = false;
    const lose = (error: Error) => {
      if (lost || closed) return;
      lost = true;
      void fresh.end().catch(() => undefined);
      const pauseMs = Math.min(firstPauseMs * 2 ** failures++, longestPauseMs);
      deps.log.warn({ err: error, pauseMs }, 'the live connection to the database was lost');
      clearTimeout(timer);
      timer = setTimeout(() => void open(), pauseMs);
    };
    fresh.on('error', lose);
    fresh.on('end', () => lose(new Error('the database closed the connection')));
    fresh.on('notification', message => deps.onNotice(message.payload ?? ''));
    client = fresh;
    try {
      await fresh.connect();
      await fresh.query(`listen ${changeChannel}`);
      failures = 0;
      keepChecking(fresh, lose);
      deps.onConnected();
    } catch (error) {
      lose(error as Error);
    }
  }

  /** Queries regularly: nothing else detects a silently lost connection (an unplugged cable, a failover). */
  function keepChecking(checked: pg.Client, lose: (error: Error) => void): void {
    timer = setTimeout(() => {
      checked.query('select 1').then(() => !closed && checked === client && keepChecking(checked, lose), lose);
    }, checkEveryMs);
  }

  return {
    open: async () => {
      closed = false;
      await open();
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
