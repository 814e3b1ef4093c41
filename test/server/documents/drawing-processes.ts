import { setImmediate as turn } from 'node:timers/promises';
import { drawInvoice } from '../../../src/server/documents/documents.ts';
import { sampleInvoice } from './sample-invoice.ts';

/** A handle of the event loop in the process report. */
interface Handle {
  readonly type: string;
  readonly is_active: boolean;
  readonly pid?: number;
}

/** The running child processes. In these tests, only drawing processes are children. */
export function drawingProcesses(): number[] {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  const { libuv } = report.getReport() as { libuv: Handle[] };
  report.excludeNetwork = excludeNetwork;
  return libuv.flatMap(({ type, is_active: isActive, pid }) => (type === 'process' && isActive && pid ? [pid] : []));
}

/** Stops, continues or kills all drawing processes. */
export function signalProcesses(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  for (const pid of drawingProcesses()) process.kill(pid, signal);
}

let count = 0;
const another = () => drawInvoice(sampleInvoice({ number: `HELD-${count++}` }));

/** Waits until requests have reached their process or the queue. */
export async function tick(): Promise<undefined> {
  for (let turns = 0; turns < 5; turns++) await turn();
}

/**
 * Stops all drawing processes until `SIGCONT`, each with a document to draw. The returned promise waits for these
 * documents.
 */
export async function holdProcesses(): Promise<[Promise<unknown>]> {
  await another();
  signalProcesses('SIGSTOP');
  const held = [another(), another()];
  await tick();
  signalProcesses('SIGSTOP');
  return [Promise.all(held)];
}
