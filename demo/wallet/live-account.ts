const reopenMs = 5_000;
/** Several payments in one ledger are one change. */
const gatherMs = 250;

/**
 * Calls back when something may have happened to the account: the network's own stream of payments is the hint, the
 * page coming back to the foreground another. Until the signal aborts.
 */
export function followAccount(address: string, onHint: () => void, signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hint = () => {
    clearTimeout(timer);
    timer = setTimeout(onHint, gatherMs);
  };
  const onVisible = () => document.visibilityState === 'visible' && hint();
  document.addEventListener('visibilitychange', onVisible, { signal });
  open(`/sandbox/horizon/accounts/${address}/payments?cursor=now`, hint, signal);
  signal.addEventListener('abort', () => clearTimeout(timer));
}

function open(url: string, hint: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const stream = new EventSource(url);
  // Horizon greets with “hello”, which is no payment.
  stream.addEventListener('message', event => event.data !== '"hello"' && hint());
  stream.addEventListener('error', () => {
    // The browser opens a broken stream again by itself, but not one that was refused.
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => open(url, hint, signal), reopenMs);
  });
  signal.addEventListener('abort', () => stream.close());
}
