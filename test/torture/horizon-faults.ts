const submissionFaults = [
  { fault: 'timeout_after_apply', probability: 0.04 },
  { fault: 'timeout_before_apply', probability: 0.03, ledgers: 6 },
  { fault: 'connection_reset', probability: 0.03 },
  { fault: 'connection_reset', probability: 0.03, applied: true },
  { fault: 'rate_limited', probability: 0.02 },
  { fault: 'unavailable', probability: 0.02 },
  { fault: 'bad_sequence', probability: 0.02 },
  { fault: 'duplicate', probability: 0.01 },
  { fault: 'html', probability: 0.01 },
  { fault: 'truncated', probability: 0.01, applied: true },
  { fault: 'silence', probability: 0.002, applied: true },
].map(fault => ({ ...fault, path: '/transactions_async' }));
const readFaults = [
  { fault: 'stale', probability: 0.05, ledgers: 3, path: '/transactions/' },
  { fault: 'unavailable', probability: 0.05, path: '/transactions/' },
  { fault: 'connection_reset', probability: 0.02, path: '/accounts' },
];

/** The faults of requests to Horizon: a fifth of all submissions, and some reads. */
export const horizonFaults: readonly object[] = [...submissionFaults, ...readFaults];
