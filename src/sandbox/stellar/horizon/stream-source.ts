import type { Horizon } from './horizon.ts';
import type { PageQuery, PageRecord } from './horizon-page.ts';
import type { StreamSource } from './horizon-stream.ts';
import type { Fields } from './horizon-values.ts';

/** How often a stream looks again when no ledger closes: an idle network closes one when somebody looks, in milliseconds. */
const lookEveryMs = 1_000;

/** A list as a stream: what follows the cursor, and then what each ledger adds. */
export function pageSource(
  horizon: Pick<Horizon, 'onLedger'>,
  page: PageQuery,
  read: (page: PageQuery) => Promise<readonly PageRecord[]>,
  fault: StreamSource['fault'],
): StreamSource {
  let { cursor } = page;
  return {
    next: async () => {
      const records = await read({ ...page, cursor });
      cursor = records.at(-1)?.pagingToken ?? cursor;
      return records.map(({ pagingToken, body }) => ({ id: pagingToken, data: body }));
    },
    changed: signal => nextLedger(horizon, signal),
    limit: page.limit,
    fault,
  };
}

/** Messages of a stream of one thing. */
const objectLimit = 10;

/** One thing as a stream: how it is, and how it is after each ledger that changed it. */
export function objectSource(
  horizon: Pick<Horizon, 'onLedger'>,
  read: () => Promise<Fields>,
  fault: StreamSource['fault'],
): StreamSource {
  let last = '';
  return {
    next: async () => {
      const data = await read();
      const text = JSON.stringify(data);
      if (text === last) return [];
      last = text;
      return [{ id: null, data }];
    },
    changed: signal => nextLedger(horizon, signal),
    limit: objectLimit,
    fault,
  };
}

function nextLedger(horizon: Pick<Horizon, 'onLedger'>, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = horizon.onLedger(end);
    const timer = setTimeout(end, lookEveryMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
