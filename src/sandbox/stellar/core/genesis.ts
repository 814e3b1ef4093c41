import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { LedgerEntry, LedgerKey } from '@stellar/stellar-sdk/xdr';
import type { ChangedEntry, LedgerHeader } from '../ledger.ts';
import { accountOf } from './account-key.ts';
import { entryWire, keyWire } from './entry-wire.ts';
import { newAccount } from './new-account.ts';

/** PKCS #8 around a bare Ed25519 seed (RFC 8410). */
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The account that owns a new network: its seed is the hash of the passphrase, so everybody knows it. */
export function rootAccount(networkPassphrase: string): { readonly address: string; readonly seed: Buffer } {
  const seed = createHash('sha256').update(networkPassphrase).digest();
  const key = createPrivateKey({ key: Buffer.concat([seedPrefix, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { address: accountOf({ type: 0, ed25519: Buffer.from(x, 'base64url') }), seed };
}

/** What a new network holds: the root account with all the coins of the header. */
export function genesisEntries(
  networkPassphrase: string,
  { totalCoins }: Pick<LedgerHeader, 'totalCoins'>,
): ChangedEntry[] {
  const { address } = rootAccount(networkPassphrase);
  const account = { kind: 'account', entry: { ...newAccount(address, totalCoins, 0, null), lastModified: 1 } } as const;
  return [
    {
      keyXdr: Buffer.from(LedgerKey.schema.encode(keyWire(account))).toString('base64'),
      entryXdr: Buffer.from(LedgerEntry.schema.encode(entryWire(account))).toString('base64'),
    },
  ];
}
