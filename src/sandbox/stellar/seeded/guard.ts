import type { OperationWire } from '@stellar/stellar-sdk/xdr';
import type { Submission } from '../core/ledger.ts';
import { accountOf, assetText } from '../core/state/identifiers.ts';
import { readTransaction } from '../core/transactions/transaction.ts';
import { sandboxNetworkId } from '../history/decoded-transaction.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import { rootKey, seededAssets, seededKeys } from './accounts.ts';
import { gift } from './money.ts';

/** A `TransactionResult` with `txBAD_AUTH`. */
const badAuthXdr = 'AAAAAAAAAAD////6AAAAAA==';

/**
 * The node for clients. The seeds of the sandbox’s own accounts are public, so that all installations have the same
 * issuers. Clients may use these seeds only to create test money. The sandbox’s own transactions bypass this guard.
 */
export function guardSeeded(node: LedgerNode): LedgerNode {
  return {
    ...node,
    submit: async (envelopeXdr, delay) => refusalOf(envelopeXdr) ?? (await node.submit(envelopeXdr, delay)),
  };
}

/** The refusal of a transaction, or null if it is allowed. Throws `MalformedEnvelope`. */
function refusalOf(envelopeXdr: string): Submission | null {
  const { hash, source, feeSource, operations } = readTransaction(sandboxNetworkId, envelopeXdr);
  const { issuers, all } = seededAccounts();
  const isAllowed = (operation: OperationWire) => {
    const actor = operation.sourceAccount === null ? source : accountOf(operation.sourceAccount);
    return !all.has(actor) || givesTestMoney(operation, issuers.get(actor), all);
  };
  if (!all.has(source) && !all.has(feeSource) && operations.every(isAllowed)) return null;
  return { status: 'ERROR', hash, resultXdr: badAuthXdr };
}

/** Whether the operation pays at most `gift` of the issuer’s own asset to an account that is not seeded. */
function givesTestMoney({ body }: OperationWire, asset: string | undefined, seeded: ReadonlySet<string>): boolean {
  if (body.type !== 1) return false;
  const { paymentOp } = body;
  return (
    assetText(paymentOp.asset) === asset && paymentOp.amount <= gift && !seeded.has(accountOf(paymentOp.destination))
  );
}

interface SeededAccounts {
  /** The asset of each issuer. */
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
