import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { DecoratedSignatureWire, SignerKeyWire } from '@stellar/stellar-sdk/xdr';
import { createCache } from '../../../../core/cache.ts';
import type { Account } from '../state/entries.ts';
import { isPreAuthorized, signerKeyOf } from '../state/identifiers.ts';
import type { Frame } from './transaction.ts';

interface WeightedKey {
  readonly key: string;
  readonly weight: number;
}

const keyObjects = createCache<KeyObject>(5_000);

/** Caches key objects, because creating Node’s key object is a large part of a signature check. */
function keyObjectOf(key: Uint8Array): KeyObject {
  const x = Buffer.from(key).toString('base64url');
  return keyObjects(x, () => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }));
}

function verifiesEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return signature.length === 64 && verify(null, message, keyObjectOf(key), signature);
  } catch {
    return false; // the bytes are not a point on the curve
  }
}

/** The last four bytes of a key or payload. A signature contains them to identify its signer. */
const hintOf = (bytes: Uint8Array): Uint8Array => {
  const hint = new Uint8Array(4);
  hint.set(bytes.subarray(-4));
  return hint;
};

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function payloadHint(key: Uint8Array, payload: Uint8Array): Uint8Array {
  const ofPayload = hintOf(payload);
  return hintOf(key).map((byte, i) => byte ^ (ofPayload[i] ?? 0));
}

/** The order in which signer types are tried, after pre-authorized signers: hash, Ed25519 key, signed payload. */
const kindsInOrder: readonly SignerKeyWire['type'][] = [2, 0, 3];

/** Checks a transaction’s signatures and records the used signatures (stellar-core’s `SignatureChecker`). */
export class SignatureChecker {
  readonly #frame: Frame;
  readonly #used: boolean[];

  constructor(frame: Frame) {
    this.#frame = frame;
    this.#used = frame.signatures.map(() => false);
  }

  /**
   * Whether the keys that signed reach the needed weight. For each signer type, uses signatures in order until the
   * weight suffices.
   */
  weighs(keys: readonly WeightedKey[], needed: number): boolean {
    let total = 0;
    for (const { key, weight } of keys) {
      if (!isPreAuthorized(key, this.#frame.hashBytes)) continue;
      total += Math.min(weight, 255);
      if (total >= needed) return true;
    }
    for (const kind of kindsInOrder) {
      const left = keys.filter(({ key }) => signerKeyOf(key).type === kind);
      for (const [index, signature] of this.#frame.signatures.entries()) {
        const found = left.findIndex(({ key }) => this.#signed(signature, key));
        if (found === -1) continue;
        this.#used[index] = true;
        total += Math.min(left[found]?.weight ?? 0, 255);
        if (total >= needed) return true;
        left.splice(found, 1);
      }
    }
    return false;
  }

  /** Whether all signatures were used. */
  allUsed(): boolean {
    return this.#used.every(used => used);
  }

  #signed({ hint, signature }: DecoratedSignatureWire, text: string): boolean {
    const key = signerKeyOf(text);
    if (key.type === 2) {
      return (
        sameBytes(hintOf(key.hashX), hint) && sameBytes(createHash('sha256').update(signature).digest(), key.hashX)
      );
    }
    if (key.type === 3) {
      const { ed25519, payload } = key.ed25519SignedPayload;
      return sameBytes(payloadHint(ed25519, payload), hint) && verifiesEd25519(ed25519, payload, signature);
    }
    if (key.type !== 0 || !sameBytes(hintOf(key.ed25519), hint)) return false;
    return this.#verified(text, key.ed25519, signature);
  }

  /** Caches the check, because a transaction is checked at submission, at ledger close and when it is applied. */
  #verified(text: string, key: Uint8Array, signature: Uint8Array): boolean {
    const id = text + Buffer.from(signature).toString('latin1');
    const known = this.#frame.verified.get(id);
    if (known !== undefined) return known;
    const result = verifiesEd25519(key, this.#frame.hashBytes, signature);
    this.#frame.verified.set(id, result);
    return result;
  }
}

/** The keys that may sign for the account. */
export function keysOf(account: Account): WeightedKey[] {
  const { master } = account.thresholds;
  return master > 0 ? [{ key: account.id, weight: master }, ...account.signers] : [...account.signers];
}
