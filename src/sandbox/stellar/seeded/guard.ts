import type { OperationWire } from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import type { Submission } from '../core/ledger.ts';
import { accountOf, assetText } from '../core/state/identifiers.ts';
import { networkId, readTransaction } from '../core/transactions/transaction-frame.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import { rootKey, seededAssets, seededKeys } from './accounts.ts';
import { gift } from './money.ts';

/** A `TransactionResult` that says `txBAD_AUTH`. */
const badAuthXdr = 'AAAAAAAAAAD////6AAAAAA==';

const network = networkId(testPassphrase);
/**
 * The node as clients of the network meet it. The seeds of the sandbox’s own accounts are in this program, so that
 * everybody can make test money and the issuers’ addresses are the same everywhere; whoever reads them may do that, and
 * nothing else: no market emptied, no issuer merged away, no trust line frozen. What the sandbox sends itself goes to
 * the node without this.
 */
export function guardSeeded(node: LedgerNode): LedgerNode {
  return {
    ...node,
    submit: async (envelopeXdr, delay) => refusalOf(envelopeXdr) ?? (await node.submit(envelopeXdr, delay)),
  };
}

/** Throws `MalformedEnvelope`. */
function refusalOf(envelopeXdr: string): Submission | null {
  const { hash, source, feeSource, operations } = readTransaction(network, envelopeXdr);
  const { issuers, all } = seededAccounts();
  const isAllowed = (operation: OperationWire) => {
    const actor = operation.sourceAccount === null ? source : accountOf(operation.sourceAccount);
    return !all.has(actor) || givesTestMoney(operation, issuers.get(actor), all);
  };
  if (!all.has(source) && !all.has(feeSource) && operations.every(isAllowed)) return null;
  return { status: 'ERROR', hash, resultXdr: badAuthXdr };
}

/** Whether the operation is a gift of the issuer’s asset: no more than the faucet gives at a time, and to nobody of the sandbox’s own. */
function givesTestMoney({ body }: OperationWire, asset: string | undefined, seeded: ReadonlySet<string>): boolean {
  if (body.type !== 1) return false;
  const { paymentOp } = body;
  return (
    assetText(paymentOp.asset) === asset && paymentOp.amount <= gift && !seeded.has(accountOf(paymentOp.destination))
  );
}

interface SeededAccounts {
  /** What each of them issues. */
  readonly issuers: ReadonlyMap<string, string>;
  readonly all: ReadonlySet<string>;
}

let accounts: SeededAccounts | null = null;

function seededAccounts(): SeededAccounts {
  if (accounts !== null) return accounts;
  const { channels, ...keys } = seededKeys();
  const issuers = new Map(seededAssets().map(({ asset, issuer }) => [issuer.address, asset]));
  const others = [rootKey(), ...Object.values(keys), ...channels].map(({ address }) => address);
  accounts = { issuers, all: new Set([...others, ...issuers.keys()]) };
  return accounts;
}
