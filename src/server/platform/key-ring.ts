import { createSecretKey } from 'node:crypto';
import { PayError } from '../../core/error.ts';
import { openBytes, sealBytes } from './secrets.ts';

/** A 32-byte key with the name that sealed data stores. */
export interface NamedKey {
  readonly name: string;
  readonly key: Buffer;
}

/** Encrypts with the newest of several keys, and decrypts with each (AES-256-GCM). */
export interface KeyRing {
  /** Encrypts with the newest key. Decryption needs the same `context`. Throws `unavailable` without any key. */
  seal(bytes: Buffer, context: string): { readonly keyId: string; readonly sealed: Buffer };
  /** Throws `unavailable` if the key is missing, and Error if the data was changed. */
  open(keyId: string, sealed: Buffer, context: string): Buffer;
}

/** Creates a key ring. `keys`: newest first. `setting`: the setting that names the keys, for messages. */
export function createKeyRing(keys: readonly NamedKey[], setting: string): KeyRing {
  const ring = new Map(keys.map(({ name, key }) => [name, createSecretKey(key)]));
  const [newest] = keys;
  const keyOf = (name: string | undefined, problem: string) => {
    const key = name === undefined ? undefined : ring.get(name);
    if (name !== undefined && key !== undefined) return { name, key };
    throw new PayError('unavailable', problem);
  };
  return {
    seal: (bytes, context) => {
      const { name, key } = keyOf(
        newest?.name,
        `The server has no key to encrypt files. Its operator sets ${setting}.`,
      );
      return { keyId: name, sealed: sealBytes(key, bytes, context) };
    },
    open: (keyId, sealed, context) => {
      const problem = `The file is encrypted with the key ${keyId}, which ${setting} lacks. The operator must add the key.`;
      return openBytes(keyOf(keyId, problem).key, sealed, context);
    },
  };
}
