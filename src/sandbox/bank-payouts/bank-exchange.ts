import { addSeconds, type Clock } from '../../core/clock.ts';
import { randomText } from '../../core/id.ts';
import type { Db } from '../../server/platform/db/database.ts';
import type { FileExchange } from '../../server/rails/file-exchange.ts';
import { sandboxDb } from '../sandbox-tables.ts';
import { type AchReturn, achReturns, notification, type PaymentStatus, statusReport } from './bank-answers.ts';
import {
  archiveAnswer,
  dueAnswers,
  insertAnswers,
  insertReceivedFile,
  type NewAnswer,
  readAnswer,
  waitingAnswers,
} from './bank-exchange.store.ts';
import { type BankBehavior, behaviorOf } from './magic-holders.ts';
import { type ReceivedFile, type ReceivedPayment, readBankFile } from './received-file.ts';

interface BankExchangeDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Seconds between a payment and its return. */
const returnSeconds = 2;
/** The codes of a return because the account is closed. */
const closed = { iso: 'AC04', nacha: 'R02' } as const;

/**
 * Creates the bank of test mode as a file exchange. The bank reads each file at once, refuses a file with wrong sums,
 * and prepares its answers. `magic-holders.ts` lists the account holders whose payments fail, wait or are returned.
 */
export function createSandboxBankExchange({ db: database, clock }: BankExchangeDeps): FileExchange {
  const db = sandboxDb(database);
  return {
    due: [waitingAnswers],
    put: async (name, content) => {
      const now = clock.now();
      const file = readBankFile(content);
      await db.transaction().execute(async tx => {
        const isNew = await insertReceivedFile(tx, { name, reference: file.reference, received_at: now });
        if (isNew) await insertAnswers(tx, answersTo(file, now));
      });
    },
    list: limit => dueAnswers(db, clock.now(), limit),
    read: name => readAnswer(db, name),
    archive: name => archiveAnswer(db, name),
  };
}

/** A payment, and how the bank treats it. */
interface PlannedPayment {
  readonly payment: ReceivedPayment;
  readonly behavior: BankBehavior;
}

function answersTo(file: ReceivedFile, now: Date): readonly NewAnswer[] {
  const planned = file.payments.map(payment => ({ payment, behavior: behaviorOf(payment.holder) }));
  const answers = file.format === 'pain.001' ? isoAnswers(file, planned, now) : achAnswers(planned, now);
  return answers.map((answer, index) => ({
    name: `${file.reference.replace(/[^A-Za-z0-9]/g, '-')}.${index + 1}.${answer.content.startsWith('<') ? 'xml' : 'ach'}`,
    ...answer,
  }));
}

type Answer = Omit<NewAnswer, 'name'>;

const newMessageId = () => `SBX${randomText(20)}`;
const paymentsOf = (planned: readonly PlannedPayment[]) => planned.map(({ payment }) => payment);
const returningOf = (planned: readonly PlannedPayment[]) => planned.filter(({ behavior }) => behavior.returns);

function isoAnswers(file: ReceivedFile, planned: readonly PlannedPayment[], now: Date): Answer[] {
  const first = planned.map(({ payment, behavior }): PaymentStatus => {
    const { refusal, seconds } = behavior;
    if (refusal !== null) return { payment, status: 'RJCT', reason: refusal.iso };
    return { payment, status: seconds > 0 ? 'ACSP' : 'ACSC', reason: null };
  });
  const report = (at: Date, statuses: readonly PaymentStatus[]): Answer => ({
    content: statusReport(file, newMessageId(), at, statuses),
    due_at: at,
  });
  const late = slowByMoment(planned, now).map(([at, slow]) =>
    report(
      at,
      slow.map(({ payment }) => ({ payment, status: 'ACSC', reason: null })),
    ),
  );
  const returning = paymentsOf(returningOf(planned));
  const back = addSeconds(now, returnSeconds);
  const returned = { content: notification(newMessageId(), back, returning, closed.iso), due_at: back };
  return [report(now, first), ...late, ...(returning.length > 0 ? [returned] : [])];
}

/**
 * Real ACH reports only returns. The sandbox bank adds debit notifications, so that payments complete without waiting
 * for bank days.
 */
function achAnswers(planned: readonly PlannedPayment[], now: Date): Answer[] {
  const booked = (at: Date, payments: readonly PlannedPayment[]): Answer => ({
    content: notification(newMessageId(), at, paymentsOf(payments), null),
    due_at: at,
  });
  const returnFile = (at: Date, returns: readonly AchReturn[]): Answer => ({
    content: achReturns(at, returns),
    due_at: at,
  });
  const paid = planned.filter(({ behavior }) => behavior.refusal === null && behavior.seconds === 0);
  const refused = planned.flatMap(({ payment, behavior: { refusal } }) =>
    refusal === null ? [] : [{ payment, code: refusal.nacha }],
  );
  const returning = returningOf(planned).map(({ payment }) => ({ payment, code: closed.nacha }));
  return [
    ...(paid.length > 0 ? [booked(now, paid)] : []),
    ...(refused.length > 0 ? [returnFile(now, refused)] : []),
    ...slowByMoment(planned, now).map(([at, slow]) => booked(at, slow)),
    ...(returning.length > 0 ? [returnFile(addSeconds(now, returnSeconds), returning)] : []),
  ];
}

/** Slow payments, grouped by the time of their completion. */
function slowByMoment(planned: readonly PlannedPayment[], now: Date): [Date, PlannedPayment[]][] {
  const slow = planned.filter(({ behavior }) => behavior.refusal === null && behavior.seconds > 0);
  const bySeconds = Map.groupBy(slow, ({ behavior }) => behavior.seconds);
  return [...bySeconds].map(([seconds, group]) => [addSeconds(now, seconds), group]);
}
