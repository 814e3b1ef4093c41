import { type Static, Type } from 'typebox';
import { Closed, ListOf, Nullable, PasskeyResponse, Timestamp } from '../schema.ts';

/** The secret of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). */
export const TotpSecret = Type.Object({
  object: Type.Literal('totp_secret'),
  secret: Type.String({ description: 'Base32, to type into the app.' }),
  uri: Type.String({ description: 'An otpauth: URI, to show as a QR code.' }),
});
export type TotpSecret = Static<typeof TotpSecret>;

/** Body of `POST /v1/person/totp/confirm`. */
export const ConfirmTotp = Closed({ code: Type.String({ minLength: 1, maxLength: 20 }) });

/** Recovery codes. Each replaces a code of the app once. */
export const RecoveryCodes = Type.Object({
  object: Type.Literal('recovery_codes'),
  recovery_codes: Type.Array(Type.String()),
});
export type RecoveryCodes = Static<typeof RecoveryCodes>;

/** A passkey of a person. */
export const Passkey = Type.Object({
  id: Type.String(),
  object: Type.Literal('passkey'),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type Passkey = Static<typeof Passkey>;

/** The passkeys of a person. */
export const Passkeys = ListOf(Passkey);

/** The options for the browser's WebAuthn API. */
export const PasskeyOptions = Type.Object({
  object: Type.Literal('passkey_options'),
  options: Type.Record(Type.String(), Type.Unknown(), { description: 'WebAuthn options as JSON.' }),
});
export type PasskeyOptions = Static<typeof PasskeyOptions>;

/** Body of `POST /v1/person/passkeys`. */
export const AddPasskey = Closed({ response: PasskeyResponse, name: Type.String({ minLength: 1, maxLength: 60 }) });

/** Body of `POST /v1/session/passkey`. */
export const SignInWithPasskey = Closed({ response: PasskeyResponse });
