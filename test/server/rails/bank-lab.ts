import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { readXml, textAt } from '../../../src/core/xml.ts';
import type { SendOrder } from '../../../src/server/outbound/sender.ts';
import type { Db } from '../../../src/server/platform/db/database.ts';
import { createBankInboxSweep } from '../../../src/server/rails/bank-files/answers/answer-inbox.service.ts';
import { listAsides, markHandled } from '../../../src/server/rails/bank-files/answers/bank-answer.store.ts';
import { createBankFileSweep } from '../../../src/server/rails/bank-files/file-out.service.ts';
import { createBankFileRail } from '../../../src/server/rails/bank-files/file-rail.ts';
import { createFileWriters } from '../../../src/server/rails/bank-files/file-writers.ts';
import { createFolderExchange } from '../../../src/server/rails/bank-files/folder-exchange.ts';
import type { FileExchange } from '../../../src/server/rails/file-exchange.ts';

const debtor = { name: 'Nordlys Supply', iban: 'LT647044001231465456', bic: 'CBVILT2X' };
const destination = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' };

const firstPage = { limit: 100, startingAfter: null, endingBefore: null, created: [] };

export type BankLab = Awaited<ReturnType<typeof openBankLab>>;

/** A live SEPA rail whose bank is a folder, at noon of a Friday. */
export async function openBankLab(db: Db) {
  const folder = await mkdtemp(join(tmpdir(), 'bank-'));
  let now = new Date('2026-11-20T12:00:00Z');
  const clock = { now: () => now };
  const errors: string[] = [];
  const log = { info: () => undefined, warn: () => undefined, error: (_: object, text: string) => errors.push(text) };
  let isUnmovable = (_: string) => false;
  const folders = createFolderExchange(folder, clock);
  const exchange: FileExchange = {
    ...folders,
    archive: async name => {
      if (isUnmovable(name)) throw new Error('the folder is read-only');
      await folders.archive(name);
    },
  };
  const wake = () => undefined;
  const writers = createFileWriters({ debtor, originator: null });
  const filing = createBankFileSweep({ db, clock, wake, exchange, writers, pauseSeconds: 300, mostPayments: 3 });
  const inbox = createBankInboxSweep({ db, clock, log, exchange });
  const rail = createBankFileRail({ db, clock, rail: 'sepa', livemode: true, wake });
  const inFolder = async (name: string) => (await readdir(join(folder, name)).catch(() => [])).toSorted();
  return {
    rail,
    filing,
    inbox,
    exchange,
    writers,
    errors,
    inFolder,
    /** The folder refuses to move these files. */
    breakMoves: (isMet: (name: string) => boolean) => {
      isUnmovable = isMet;
    },
    advance: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
    order: (changes: Partial<SendOrder> = {}): SendOrder => ({
      id: newId('payout'),
      merchantId: newId('account'),
      original: null,
      amount: 1_000n,
      currency: 'EUR',
      destination,
      text: 'Salary',
      now,
      ...changes,
    }),
    outgoing: async () => {
      const names = await inFolder('outbox');
      expect(names).toHaveLength(1);
      const content = await readFile(join(folder, 'outbox', names[0] ?? ''), 'utf8');
      await rm(join(folder, 'outbox', names[0] ?? ''));
      return { name: names[0] ?? '', content, reference: textAt(readXml(content), 'CstmrCdtTrfInitn/GrpHdr/MsgId') };
    },
    /** Writes an answer, or goes on writing it, `seconds` ago. */
    answer: async (name: string, content: string | Buffer, seconds = 60) => {
      await mkdir(join(folder, 'inbox'), { recursive: true });
      const path = join(folder, 'inbox', name);
      await appendFile(path, content);
      const written = now.getTime() / 1000 - seconds;
      await utimes(path, written, written);
    },
    status: async ({ id }: SendOrder) => (await rail.status([id], now))[0],
    /** Answers that wait for the operator, in the sequence of their files. */
    asides: async () => (await listAsides(db, firstPage, false)).rows.toSorted((a, b) => a.name.localeCompare(b.name)),
    dismiss: (id: string) => db.transaction().execute(tx => markHandled(tx, id, 'person_1', now)),
    returns: async () => (await rail.findReturns(null, 1_000)).returns,
    close: () => rm(folder, { recursive: true }),
  };
}
