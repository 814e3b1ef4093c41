import { addSeconds } from '../../../core/clock.ts';
import type { Carrier, CarrierEnd, CarrierOutcome, Signed } from '../../outbound/carrier.ts';
import type { OutboundEnd, OutboundRow } from '../../outbound/outbound.ts';
import type { FeeMarket, IngestedLedger, LedgerOutcome, TransactionStatus } from '../network.ts';
import { deliveryIn, operationCount } from './batch.ts';
import { freeChannel } from './channel.store.ts';
import { failureOfOperation } from './destination.ts';
import { builtAt, bumpFee, detailOf, judgeEnvelope, nextBid, validityOf } from './envelope.ts';
import type { TreasuryDeps } from './treasury-deps.ts';

/** Ledgers without a result after which a transaction offers a higher fee, if other transactions do. */
const patienceLedgers = 4;

/** Submits a transaction. If the network asks for a higher fee, signs it again instead. */
export async function submitEnvelope(deps: TreasuryDeps, carrier: Carrier): Promise<CarrierOutcome> {
  const outcome = await deps.network.submit(carrier.signed);
  if (outcome.state === 'applied') return await endedBy(deps, carrier, outcome);
  if (outcome.state !== 'refused') return outcome;
  const { transaction: code, operations: parts } = outcome.codes;
  const by = code === 'tx_insufficient_fee' ? await bidMore(deps, carrier, await deps.network.fees()) : null;
  return by === null ? { state: 'refused', code, parts } : { state: 'replaced', by };
}

/** Looks for a transaction by its hashes. Raises its fee if it has waited and other bids are higher. */
export async function findEnvelope(
  deps: TreasuryDeps,
  carrier: Carrier,
  hashes: readonly string[],
): Promise<CarrierOutcome | null> {
  const answers = await findAll(deps, hashes);
  const verdict = judgeEnvelope(validityOf(carrier), answers);
  if (verdict.state === 'ended') return await endedBy(deps, carrier, verdict.outcome);
  if (verdict.state === 'expired') return expiredBy(deps, carrier, verdict.proof);
  const by = await bidMoreUnderSurge(deps, carrier, answers);
  return by === null ? null : { state: 'replaced', by };
}

/** Looks up each hash of the transaction until a hash is in a ledger. */
async function findAll({ network }: TreasuryDeps, hashes: readonly string[]): Promise<TransactionStatus[]> {
  const answers: TransactionStatus[] = [];
  for (const hash of hashes) {
    const answer = await network.status(hash);
    answers.push(answer);
    if (answer.state === 'applied') break;
  }
  return answers;
}

/** The end of a transaction by its result in a ledger. */
async function endedBy(deps: TreasuryDeps, carrier: Carrier, outcome: LedgerOutcome): Promise<CarrierEnd> {
  const { ledger, codes, successful, feeCharged } = outcome;
  const { sentAmounts } = await import('../transaction/transaction-result.ts');
  const sent = sentAmounts(outcome.resultXdr);
  // Only transactions with these two results have certainly used the sequence number.
  const isUsed = ['tx_success', 'tx_failed'].includes(codes.transaction);
  return {
    state: successful ? 'applied' : 'failed',
    code: codes.transaction,
    block: { number: ledger, closedAt: null },
    feeCharged,
    endsOf: (orders, now) =>
      successful
        ? placesOf(orders).map(({ first }) => completed(outcome, sent[first] ?? null))
        : releases(orders, codes.operations, now),
    free: tx => freeChannel(tx, carrier.id, { sequence: sequenceOf(carrier), state: isUsed ? 'used' : 'unsure' }),
    ended: async () => {
      deps.view.forget();
      if (!successful) await deps.signer.forget(detailOf(carrier).inner_hash);
    },
  };
}

/**
 * The end of a transaction that can never be in a ledger, as `proof` shows. A transfer fails if its operation was
 * refused.
 */
function expiredBy(deps: TreasuryDeps, carrier: Carrier, proof: IngestedLedger): CarrierEnd {
  return {
    state: 'expired',
    code: carrier.result_code ?? 'expired',
    block: { number: proof.sequence, closedAt: proof.closedAt },
    feeCharged: null,
    endsOf: (orders, now) => releases(orders, carrier.part_codes, now),
    free: tx => freeChannel(tx, carrier.id, { sequence: sequenceOf(carrier), state: 'unused' }),
    ended: () => deps.signer.forget(detailOf(carrier).inner_hash),
  };
}

function sequenceOf(carrier: Carrier): bigint {
  return BigInt(detailOf(carrier).sequence);
}

/** Raises the fee if the transaction has waited for several ledgers and other bids are higher. Null: it does not. */
async function bidMoreUnderSurge(
  deps: TreasuryDeps,
  carrier: Carrier,
  answers: readonly TransactionStatus[],
): Promise<Signed | null> {
  const newest = Math.max(...answers.map(answer => (answer.state === 'not_found' ? answer.ingested.sequence : 0)));
  const bids = answers.length - 1;
  if (newest - builtAt(validityOf(carrier)) < patienceLedgers * bids) return null;
  const market = await deps.network.fees();
  return market.usual > bidOf(carrier) ? await bidMore(deps, carrier, market) : null;
}

/** Wraps the transaction in a fee bump with a higher fee. Null if the cap is reached. */
async function bidMore(deps: TreasuryDeps, carrier: Carrier, market: FeeMarket): Promise<Signed | null> {
  const { signer, network, feeCap, log } = deps;
  const bid = nextBid(bidOf(carrier), market, feeCap);
  if (bid === null) {
    log.warn({ carrier: carrier.id }, 'the network fee exceeds the fee limit; transfers wait');
    return null;
  }
  const { inner_xdr: inner, operations } = detailOf(carrier);
  const fee = bumpFee(bid, operations);
  const { hashEnvelope, wrapFeeBump } = await import('../transaction/transaction.ts');
  const signed = await signer.sign(wrapFeeBump(inner, { feeSource: signer.treasury, fee }), null);
  return { signed, fee, hash: hashEnvelope(signed, network.passphrase) };
}

function bidOf(carrier: Carrier): bigint {
  return carrier.fee / BigInt(detailOf(carrier).operations + 1);
}

/** Seconds for which transfers wait after their transaction failed through no fault of theirs. */
const oddPauseSeconds = 30;

/** The operations of each transfer in its transaction. `first`: the index of the first. */
function placesOf(orders: readonly OutboundRow[]) {
  let first = 0;
  return orders.map(({ destination, asset, source_asset: sourceAsset }) => {
    const delivery = deliveryIn(destination);
    const operations = operationCount({ delivery, asset, sourceAsset });
    first += operations;
    return { delivery, first: first - operations, operations };
  });
}

function completed({ hash, ledger }: LedgerOutcome, sentAmount: bigint | null): OutboundEnd {
  return { state: 'completed', reference: hash, ledger, ...(sentAmount !== null && { sentAmount }) };
}

/** The ledger undoes a failed transaction completely. Transfers with a failed operation end; others are requeued. */
function releases(orders: readonly OutboundRow[], codes: readonly string[], now: Date): OutboundEnd[] {
  const failures = placesOf(orders).map(({ first, operations, delivery }) => {
    const failing = codes.slice(first, first + operations).find(code => code !== 'op_success');
    return failing === undefined ? null : failureOfOperation(failing, delivery);
  });
  const isExplained = codes.length === 0 || failures.some(failure => failure !== null);
  const dueAt = isExplained ? null : addSeconds(now, oddPauseSeconds);
  return failures.map(failure => (failure === null ? { state: 'queued', dueAt } : { state: 'failed', ...failure }));
}
