import { testPassphrase } from '../../core/stellar/stellar-network.ts';
import { networkId, readTransaction } from './core/transaction-frame.ts';

const network = networkId(testPassphrase);

/** The hash of an envelope’s transaction, and of a fee bump that of what it carries; hex. Throws `MalformedEnvelope`. */
export function envelopeHashes(envelopeXdr: string): { readonly hash: string; readonly innerHash: string | null } {
  const { hash, inner } = readTransaction(network, envelopeXdr);
  return { hash, innerHash: inner?.hash ?? null };
}
