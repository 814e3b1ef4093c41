import type { SweepMetrics } from './jobs/sweeper.ts';

/** Figures about the service for Prometheus, without any merchant's data. */
export type Metrics = ReturnType<typeof createMetrics>;

/** A number that is read when the figures are requested. With a label, one number for each of its values. */
export type Gauge = { readonly name: string; readonly help: string } & (
  | { readonly label?: never; readonly read: () => number }
  | { readonly label: string; readonly read: () => ReadonlyMap<string, number> }
);

type Recorder = Awaited<ReturnType<typeof createRecorder>>;
type Observation = (recorder: Recorder) => void;

/** Counts requests and sweeps. The library is loaded after the start. Earlier observations wait until then. */
export function createMetrics(gauges: readonly Gauge[]) {
  let waiting: Observation[] | null = [];
  let recorder: Recorder | null = null;
  const observe = (observation: Observation) => {
    if (recorder !== null) observation(recorder);
    else waiting?.push(observation);
  };
  const ready = new Promise<Recorder>((resolve, reject) => {
    setImmediate(() => {
      createRecorder(gauges).then(created => {
        recorder = created;
        for (const observation of waiting ?? []) observation(created);
        waiting = null;
        resolve(created);
      }, reject);
    });
  });
  ready.catch(() => undefined);
  const timers = new Map<string, { observe(seconds: number): void }>();
  const sweepMetrics: SweepMetrics = {
    swept: (sweep, count, seconds) =>
      observe(({ sweeps, swept }) => {
        sweeps.observe({ sweep }, seconds);
        if (count > 0) swept.inc({ sweep }, count);
      }),
    sweepFailed: sweep => observe(({ failures }) => failures.inc({ sweep })),
  };
  return {
    ...sweepMetrics,
    /** `route` is the pattern of the path. A URL could contain secrets. */
    answered: (method: string, route: string, status: number, seconds: number) =>
      observe(({ requests }) => {
        const key = `${method} ${route} ${status}`;
        const timer = timers.get(key) ?? requests.labels({ method, route, status });
        timers.set(key, timer);
        timer.observe(seconds);
      }),
    /** The page of figures in the Prometheus text format. */
    render: async () => {
      const { registry } = await ready;
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

async function createRecorder(gauges: readonly Gauge[]) {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const gauge of gauges) {
    const { name, help } = gauge;
    new Gauge({
      name,
      help,
      registers,
      labelNames: gauge.label === undefined ? [] : [gauge.label],
      collect() {
        if (gauge.label === undefined) this.set(gauge.read());
        else for (const [value, number] of gauge.read()) this.set({ [gauge.label]: value }, number);
      },
    });
  }
  const labelNames = ['sweep'];
  return {
    registry,
    requests: new Histogram({
      name: 'pay_http_request_seconds',
      help: 'Time from the arrival of a request to the end of its response, in seconds.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    sweeps: new Histogram({
      name: 'pay_sweep_seconds',
      help: 'Duration of a batch of a sweep, in seconds.',
      labelNames,
      registers,
    }),
    swept: new Counter({ name: 'pay_swept_total', help: 'Items that sweeps have processed.', labelNames, registers }),
    failures: new Counter({
      name: 'pay_sweep_failures_total',
      help: 'Batches of sweeps that failed.',
      labelNames,
      registers,
    }),
  };
}
