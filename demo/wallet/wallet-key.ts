import { encodeStrkey } from '../../src/core/stellar/strkey.ts';

/** The wallet's key. Its secret half never leaves the browser's key store; not even this page can read it. */
export interface WalletKey {
  /** G… */
  readonly address: string;
  /** Signs a transaction's hash (hex). Returns the signature (64 bytes) in base64. */
  sign(hash: string): Promise<string>;
}

/** This browser cannot create or store a key. The message names the reason. */
export class KeyUnavailable extends Error {}

const databaseName = 'pocket-wallet';
const storeName = 'keys';
const keyName = 'first';
const algorithm = { name: 'Ed25519' } as const;

/** The key of this browser, created by the first call. Throws KeyUnavailable. */
export async function openWalletKey(): Promise<WalletKey> {
  if (!globalThis.isSecureContext || globalThis.crypto.subtle === undefined) {
    throw new KeyUnavailable(
      'Keys are made on safe pages only. Open the wallet by https, or on this machine as localhost.',
    );
  }
  const database = await openDatabase();
  const pair = (await load(database)) ?? (await store(database, await newPair()));
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return {
    address: encodeStrkey('G', new Uint8Array(raw)),
    sign: async hash => {
      const bytes = Uint8Array.from(hash.match(/../g) ?? [], pairOfDigits => Number.parseInt(pairOfDigits, 16));
      const signature = await crypto.subtle.sign(algorithm, pair.privateKey, bytes);
      return btoa(String.fromCharCode(...new Uint8Array(signature)));
    },
  };
}

async function newPair(): Promise<CryptoKeyPair> {
  try {
    return await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  } catch (cause) {
    const message = 'This browser cannot make the kind of key that Stellar uses (Ed25519). A newer one can.';
    throw new KeyUnavailable(message, { cause });
  }
}

async function openDatabase(): Promise<IDBDatabase> {
  try {
    const request = indexedDB.open(databaseName, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName));
    return await resultOf(request);
  } catch (cause) {
    const message =
      'This browser keeps nothing for this page, so there is no place for a key. Private windows do that.';
    throw new KeyUnavailable(message, { cause });
  }
}

async function load(database: IDBDatabase): Promise<CryptoKeyPair | null> {
  const kept: unknown = await resultOf(database.transaction(storeName).objectStore(storeName).get(keyName));
  return (kept as CryptoKeyPair | undefined) ?? null;
}

/** Stores the key pair, unless another tab has stored a key pair. Returns the stored pair. */
async function store(database: IDBDatabase, pair: CryptoKeyPair): Promise<CryptoKeyPair> {
  try {
    await resultOf(database.transaction(storeName, 'readwrite').objectStore(storeName).add(pair, keyName));
    return pair;
  } catch (cause) {
    const kept = await load(database);
    if (kept !== null) return kept;
    throw new KeyUnavailable('This browser has no room for a key.', { cause });
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
