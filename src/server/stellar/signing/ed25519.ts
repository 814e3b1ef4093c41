import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * Signatures of Stellar accounts (Ed25519, RFC 8032) by Node’s own cryptography: twenty times as fast as a JavaScript
 * one, and a key that it holds is not in the heap of the program.
 */

// What comes before the 32 bytes of a key in PKCS #8 and SubjectPublicKeyInfo (RFC 8410).
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The private key of a 32-byte seed. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
}

/** The 32 bytes of the public key that belongs to a private one. */
export function publicKeyBytes(privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return spki.subarray(publicPrefix.length);
}

/** 64 bytes. */
export function signEd25519(privateKey: KeyObject, message: Uint8Array): Buffer {
  return sign(null, message, privateKey);
}

/** Whether the owner of the 32-byte public key signed the message. */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
}
