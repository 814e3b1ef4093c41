import type { MemoWire, OperationWire } from '@stellar/stellar-sdk/xdr';
import type { Ledger } from '../core/ledger.ts';
import { resultCodes } from '../horizon/records/result-codes.ts';
import type { Confirmations } from '../node/confirmations.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { TransactionRow } from '../tables.ts';
import type { SandboxKey } from './accounts.ts';
import { signedEnvelope } from './transaction-builder.ts';

/** A transaction of the sandbox itself. Its source is a channel account, and each operation has its own source. */
interface OwnTransaction {
  readonly operations: readonly OperationWire[];
  readonly memo?: MemoWire;
  readonly signers: readonly SandboxKey[];
}

/** Thrown for a failed transaction. `codes` are Horizon’s result codes, empty if there is no result. */
export class OwnTransactionFailed extends Error {
  override readonly name = 'OwnTransactionFailed';
  readonly codes: readonly string[];
  constructor(codes: readonly string[]) {
    super(`the sandbox’s transaction failed: ${codes.join(', ') || 'it is in no ledger'}`);
    this.codes = codes;
  }
}

export interface Sender {
  /** Resolves after the transaction has succeeded. Throws `OwnTransactionFailed`. */
  send(transaction: OwnTransaction): Promise<TransactionRow>;
}

interface SenderDeps {
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly channels: readonly SandboxKey[];
}

const timeoutMs = 30_000;

/** Maximum attempts per transaction. An attempt fails if another process uses the channel or the queue is full. */
const attempts = 8;

/** Creates a sender. Each channel account sends one transaction at a time. */
export function createSender({ node, confirmations, channels }: SenderDeps): Sender {
  const free = [...channels];
  const waiting: ((channel: SandboxKey) => void)[] = [];

  async function withChannel<T>(work: (channel: SandboxKey) => Promise<T>): Promise<T> {
    const channel = free.pop() ?? (await new Promise<SandboxKey>(resolve => waiting.push(resolve)));
    try {
      return await work(channel);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(channel);
      else next(channel);
    }
  }

  /** Returns null if the channel or the queue was not ready. Another attempt may then succeed. */
  async function attempt(channel: SandboxKey, transaction: OwnTransaction): Promise<TransactionRow | null> {
    const envelope = envelopeOf(channel, await node.current(), transaction);
    const { status, hash, resultXdr } = await node.submit(envelope);
    if (status === 'PENDING') return requireSuccess(await confirmations.wait(hash, timeoutMs));
    const codes = resultXdr === null ? [] : codesOf(resultXdr);
    if (status === 'TRY_AGAIN_LATER' || codes[0] === 'tx_bad_seq') return null;
    throw new OwnTransactionFailed(codes);
  }

  return {
    send: async transaction => {
      for (let tried = 0; tried < attempts; tried++) {
        const row = await withChannel(channel => attempt(channel, transaction));
        if (row !== null) return row;
        await nextLedger(node);
      }
      throw new OwnTransactionFailed([]);
    },
  };
}

function envelopeOf(channel: SandboxKey, ledger: Ledger, { operations, memo, signers }: OwnTransaction): string {
  const account = ledger.account(channel.address);
  if (account === null) throw new Error(`the channel ${channel.address} of the sandbox network does not exist`);
  const cosigners = [...new Map(signers.map(key => [key.address, key])).values()];
  return signedEnvelope({
    source: channel,
    sequence: account.sequence,
    operations,
    cosigners,
    ...(memo !== undefined && { memo }),
  });
}

function requireSuccess(row: TransactionRow | null): TransactionRow {
  if (row?.successful === true) return row;
  throw new OwnTransactionFailed(row === null ? [] : codesOf(row.result));
}

function codesOf(resultXdr: string): readonly string[] {
  const { transaction, operations = [] } = resultCodes(resultXdr) as {
    readonly transaction: string;
    readonly operations?: readonly string[];
  };
  return [transaction, ...operations];
}

/** Resolves after the next ledger, at the latest after 250 ms. */
function nextLedger(node: LedgerNode): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = node.onLedger(end);
    const timer = setTimeout(end, 250);
  });
}
