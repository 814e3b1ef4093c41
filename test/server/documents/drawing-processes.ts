import { setImmediate as turn } from 'node:timers/promises';
import { drawInvoice } from '../../../src/server/documents/documents.ts';
import { sampleInvoice } from './sample-invoice.ts';

/** A handle of the event loop, as the report of the process tells of it. */
interface Handle {
  readonly type: string;
  readonly is_active: boolean;
  readonly pid?: number;
}

/** The processes that this one started and that have not ended: where nothing else was, those that draw. */
export function drawingProcesses(): number[] {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  const { libuv } = report.getReport() as { libuv: Handle[] };
  report.excludeNetwork = excludeNetwork;
  return libuv.flatMap(({ type, is_active: isActive, pid }) => (type === 'process' && isActive && pid ? [pid] : []));
}

/** Stops, goes on with or ends them all, as a machine does on which they are in the way. */
export function signalProcesses(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  for (const pid of drawingProcesses()) process.kill(pid, signal);
}

let count = 0;
const another = () => drawInvoice(sampleInvoice({ number: `HELD-${count++}` }));

/** Until what was asked for has come to its process, or to the queue. */
export async function tick(): Promise<undefined> {
  for (let turns = 0; turns < 5; turns++) await turn();
}

/**
 * Keeps all processes that there may be at a document each, with which they go on at `SIGCONT`. The promise in the answer
 * is that of these documents.
 */
export async function holdProcesses(): Promise<[Promise<unknown>]> {
  await another();
  signalProcesses('SIGSTOP');
  const held = [another(), another()];
  await tick();
  signalProcesses('SIGSTOP');
  return [Promise.all(held)];
}
