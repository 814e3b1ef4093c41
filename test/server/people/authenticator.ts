import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A passkey in software, which answers like a browser (WebAuthn §6): ES256, no attestation, the person verified. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  const rpHash = createHash('sha256').update(new URL(origin).hostname).digest();
  let counter = 0;
  const authData = (flags: number, rest: Buffer = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++counter);
    return Buffer.concat([rpHash, Buffer.from([flags]), count, rest]);
  };
  const clientData = (type: string, challenge: unknown, from = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const known = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' };
  return {
    /** The answer to `navigator.credentials.create`. */
    create: ({ challenge }: { readonly challenge?: unknown }) => {
      const cose = Buffer.concat([
        ...[Buffer.from('a5010203262001215820', 'hex'), Buffer.from(x, 'base64url')],
        ...[Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')],
      ]);
      const length = Buffer.from([0, id.length]);
      const data = authData(0x45, Buffer.concat([Buffer.alloc(16), length, id, cose]));
      const attestation = Buffer.concat([
        // {fmt: "none", attStmt: {}, authData: bytes}
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([data.length]),
        data,
      ]);
      const json = clientData('webauthn.create', challenge).toString('base64url');
      const response = { clientDataJSON: json, attestationObject: attestation.toString('base64url'), transports: [] };
      return { ...known, response, clientExtensionResults: {} };
    },
    /** The answer to `navigator.credentials.get`, given to a page of `from`. */
    get: ({ challenge }: { readonly challenge?: unknown }, from = origin) => {
      const data = authData(0x05);
      const json = clientData('webauthn.get', challenge, from);
      const signed = Buffer.concat([data, createHash('sha256').update(json).digest()]);
      return {
        ...known,
        response: {
          clientDataJSON: json.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        },
        clientExtensionResults: {},
      };
    },
  };
}
