import { appendFile, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusReport } from '../../src/sandbox/bank-payouts/bank-answers.ts';
import { readBankFile } from '../../src/sandbox/bank-payouts/received-file.ts';
import type { FileExchange } from '../../src/server/rails/file-exchange.ts';

/** The program of a bank that watches the folders of an exchange, with faults. */
export interface BankProgram {
  /** The files that it has taken, by name. */
  readonly taken: ReadonlyMap<string, string>;
  /** How often a file came again that the bank already had. */
  repeated(): number;
  /** Refused files, and files that came again with another content. */
  readonly problems: readonly string[];
  /** How often each fault has happened. */
  readonly met: ReadonlyMap<string, number>;
  /** Ends the faults. */
  heal(): void;
  stop(): Promise<void>;
}

/** A bank's transfer of a file may stop that long in its middle. */
const halfMs = 1_500;
/** A folder cannot be used for `brokenMs` of each `cycleMs`: a fifth of the time. */
const [brokenMs, cycleMs] = [1_000, 5_000];

interface ProgramDeps {
  readonly folder: string;
  /** The bank, which reads and answers files. */
  readonly bank: FileExchange;
  readonly random: () => number;
}

/** Puts a folder back. A folder that the server made meanwhile gives its files to it. */
async function restore(path: string): Promise<boolean> {
  try {
    const made = await readdir(path).catch(() => null);
    for (const name of made ?? []) await rename(join(path, name), join(`${path}.away`, name));
    await (made === null ? rm(path, { force: true }) : rmdir(path));
    await rename(`${path}.away`, path);
    return true;
  } catch {
    return false;
  }
}

export function startBankProgram({ folder, bank, random }: ProgramDeps): BankProgram {
  const taken = new Map<string, string>();
  const problems: string[] = [];
  const met = new Map<string, number>();
  let repeated = 0;
  let answers = 0;
  let isFaulty = true;
  let isOver = false;
  const count = (fault: string) => void met.set(fault, (met.get(fault) ?? 0) + 1);

  async function take(): Promise<void> {
    const outbox = join(folder, 'outbox');
    for (const name of (await readdir(outbox).catch(() => [])).filter(one => !one.startsWith('.'))) {
      const content = await readFile(join(outbox, name), 'utf8').catch(() => null);
      if (content === null) continue;
      const known = taken.get(name);
      taken.set(name, content);
      if (known === undefined) await bank.put(name, content).catch(error => problems.push(`${name}: ${error}`));
      else await refuse(name, content, known);
      // One of ten files is taken twice, as are those that cannot be removed.
      if (isFaulty && known === undefined && taken.size % 10 === 3) continue;
      await rm(join(outbox, name)).catch(() => undefined);
    }
  }

  /** Says about each payment that the bank has it already. The service reads this answer before the others. */
  async function refuse(name: string, content: string, known: string): Promise<void> {
    repeated++;
    if (known !== content) problems.push(`${name} came again with another content`);
    const file = readBankFile(content);
    if (file.format !== 'pain.001') return;
    const statuses = file.payments.map(payment => ({ payment, status: 'RJCT', reason: 'AM05' }) as const);
    await deliver(`0-repeated-${repeated}.xml`, statusReport(file, `SBXR${repeated}`, new Date(), statuses));
  }

  async function answer(): Promise<void> {
    for (const name of await bank.list(20)) {
      await deliver(name, String(await bank.read(name)));
      await bank.archive(name);
    }
  }

  /** Of ten answers one appears half-written for a while, and one twice. */
  async function deliver(name: string, content: string): Promise<void> {
    const inbox = join(folder, 'inbox');
    await mkdir(inbox, { recursive: true });
    const turn = isFaulty ? answers++ % 10 : -1;
    if (turn === 0) {
      count('answer half-written');
      const middle = Math.floor(content.length * random());
      await writeFile(join(inbox, name), content.slice(0, middle));
      await sleep(halfMs);
      await appendFile(join(inbox, name), content.slice(middle));
      return;
    }
    await writeFile(join(inbox, `.${name}`), content);
    await rename(join(inbox, `.${name}`), join(inbox, name));
    if (turn !== 5) return;
    count('answer twice');
    await writeFile(join(inbox, `again-${name}`), content);
  }

  /** Puts a file where a folder was: the server can neither write nor move files there. */
  async function breakFolder(name: string): Promise<void> {
    const path = join(folder, name);
    const isThere = await rename(path, `${path}.away`).then(
      () => true,
      () => false,
    );
    if (!isThere) return;
    count(`${name} broken`);
    // The server may have made a new folder just now; then this fault does not happen.
    await writeFile(path, '').catch(() => undefined);
    await sleep(brokenMs);
    while (!isOver && !(await restore(path))) await sleep(20);
  }

  async function repeat(work: () => Promise<void>, pauseMs: () => number): Promise<void> {
    while (!isOver) {
      await work().catch(error => problems.push(String(error)));
      await sleep(pauseMs());
    }
  }

  const spoil = async () => {
    if (!isFaulty) return;
    await breakFolder('outbox');
    if (isFaulty) await breakFolder('done');
  };
  const running = Promise.all([
    repeat(take, () => 100),
    repeat(answer, () => 100),
    repeat(spoil, () => (cycleMs - brokenMs * 2) * (0.5 + random())),
  ]);
  return {
    taken,
    problems,
    met,
    repeated: () => repeated,
    heal: () => {
      isFaulty = false;
    },
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
