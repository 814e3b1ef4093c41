import { type Static, type TOptional, type TSchema, Type } from 'typebox';
import { fieldFormats, sep9Fields } from '../../core/kyc/sep9-fields.ts';
import { kycTiers } from '../../core/kyc/tiers.ts';
import { Closed, Nullable, OneOf, Timestamp } from '../schema.ts';

/** Status of an identity check. The state machine is in `server/kyc/kyc.ts`. */
export const KycStatus = OneOf(['not_started', 'incomplete', 'under_review', 'approved', 'rejected'], {
  description:
    '`incomplete`: `fields` says what is needed. `under_review`: the provider or your staff decides. `approved`: the ' +
    'customer may do what its `tier` allows. `rejected`: `rejection_reasons` says why.',
});
export type KycStatus = Static<typeof KycStatus>;

export const KycTier = OneOf([...kycTiers], {
  description: '`basic`, `standard` or `enhanced`. A higher tier needs more fields, and includes the lower ones.',
});
export type KycTier = Static<typeof KycTier>;

export const KycType = OneOf(['person', 'organization'], {
  description: 'Whether the customer is a natural person or an organization.',
});
export type KycType = Static<typeof KycType>;

/** A field of SEP-9 that the customer has given, or that the requested tier needs. */
export const KycField = Type.Object({
  name: Type.String({ description: 'Name by SEP-9.', examples: ['birth_date'] }),
  format: OneOf([...fieldFormats], {
    description:
      'Form of the value: `date` is YYYY-MM-DD, `country` ISO 3166-1 alpha-3, `language` ISO 639-1, `phone` E.164, ' +
      '`occupation` ISCO-08, `count` a whole number, `file` a JPEG, PNG or WebP image or a PDF.',
  }),
  status: OneOf(['provided', 'needed'], {
    description: '`needed`: missing, or asked for again. No answer contains the value, apart from `reveal`.',
  }),
  required: Type.Boolean({ description: 'Whether the requested tier needs the field.' }),
  description: Type.String({ examples: ['Date of birth.'] }),
  choices: Nullable(Type.Array(Type.String()), 'The only values that the field takes; null: no list.'),
});
export type KycField = Static<typeof KycField>;

/** What a screen reported about a customer, for the staff that decides. */
export const KycFlag = Type.Object({
  screen: Type.String({ description: 'The screen, for example a sanctions list.', examples: ['sandbox_sanctions'] }),
  reason: Type.String({ examples: ['The name is on the list.'] }),
});
export type KycFlag = Static<typeof KycFlag>;

/** The identity check of a customer. It contains no personal data. */
export const Kyc = Type.Object({
  id: Type.String({ description: 'kyc_…', examples: ['kyc_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('kyc'),
  customer: Type.String({ description: 'Id of the customer.', examples: ['cus_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  type: KycType,
  status: KycStatus,
  tier: Nullable(KycTier, 'The approved tier. It stays while a higher tier is checked; null: not approved.'),
  requested_tier: KycTier,
  fields: Type.Array(KycField, { description: 'The given fields, and those that `requested_tier` needs.' }),
  rejection_reasons: Type.Array(Type.String(), {
    description: 'Why the customer was rejected, or what is asked for again.',
    examples: [['The document has expired.']],
  }),
  flags: Type.Array(KycFlag, { description: 'Hits of screens. The check waits for your staff.' }),
  provider: Nullable(Type.String({ examples: ['sandbox'] }), 'Who checks the customer; null: your staff or platform.'),
  provider_reference: Nullable(Type.String(), 'The provider’s id of the customer, or the reference that you gave.'),
  decided_by: Nullable(Type.String(), 'Id of the key or person that decided last; null: the provider, or no decision.'),
  decided_at: Nullable(Timestamp, 'When it was decided last.'),
  livemode: Type.Boolean(),
  created_at: Nullable(Timestamp, 'When the first data arrived; null before.'),
});
export type Kyc = Static<typeof Kyc>;

/** The identity check as its customer sees it, in the session of a ramp. */
export const SessionKyc = Type.Object({
  object: Type.Literal('session_kyc'),
  type: KycType,
  status: KycStatus,
  requested_tier: KycTier,
  fields: Type.Array(KycField, {
    description: 'The given fields, and those that the ramp needs. Empty if your platform asks the customer itself.',
  }),
  rejection_reasons: Type.Array(Type.String(), {
    description: 'Why the customer was rejected, or what is asked again.',
    examples: [['The document has expired.']],
  }),
});
export type SessionKyc = Static<typeof SessionKyc>;

/** Longest reason, in characters. */
const longestReason = 500;

const Reasons = Type.Array(Type.String({ minLength: 1, maxLength: longestReason }), {
  minItems: 1,
  maxItems: 20,
  description: 'Reasons for the customer, without personal data: events contain them.',
  examples: [['The document has expired.']],
});

/** The states that a platform or a test may set. */
const SettableStatus = OneOf(['incomplete', 'under_review', 'approved', 'rejected'], {
  description: 'Your own decision. Only with `ramps.kyc: platform`.',
});

const textFields = sep9Fields.filter(({ format }) => format !== 'file');

const values: Readonly<Record<string, TOptional<TSchema>>> = Object.fromEntries(
  textFields.map(({ name, description, choices, longest = 200 }) => [
    name,
    Type.Optional(
      Nullable(choices === undefined ? Type.String({ maxLength: longest }) : OneOf([...choices]), description),
    ),
  ]),
);

interface KycUpdate {
  readonly type?: KycType;
  readonly tier?: KycTier;
  readonly status?: Static<typeof SettableStatus>;
  readonly provider_reference?: string | null;
  readonly rejection_reasons?: string[];
}

/**
 * Body of `PUT /v1/customers/:id/kyc`: fields by their names in SEP-9, as texts. Absent fields stay; null removes one.
 * Files come as multipart/form-data.
 */
export const UpdateKyc = Type.Unsafe<KycUpdate & { readonly [field: string]: unknown }>(
  Closed({
    type: Type.Optional(KycType),
    tier: Type.Optional({
      ...KycTier,
      description: 'The tier to check for. Default: the last one, at first `basic`. With `status`: the approved tier.',
    }),
    status: Type.Optional(SettableStatus),
    provider_reference: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200 }), 'Your provider’s id of the check. Only with `status`.'),
    ),
    rejection_reasons: Type.Optional({ ...Reasons, description: 'Why you rejected. Only with `status`.' }),
    ...values,
  }),
);
export type UpdateKyc = Static<typeof UpdateKyc>;

/** Body of `PUT /v1/ramps/:id/kyc`: fields by their names in SEP-9, as texts. Files come as multipart/form-data. */
export const GiveKyc = Type.Unsafe<{ readonly type?: KycType } & { readonly [field: string]: unknown }>(
  Closed({ type: Type.Optional(KycType), ...values }),
);
export type GiveKyc = Static<typeof GiveKyc>;

/** Body of `POST /v1/customers/:id/kyc/approve`. */
export const ApproveKyc = Closed({
  tier: Type.Optional({ ...KycTier, description: 'The approved tier. Default: `requested_tier`.' }),
  override_flags: Type.Optional(
    Type.Boolean({ description: 'Approves despite the hits of screens, which you have examined.' }),
  ),
});
export type ApproveKyc = Static<typeof ApproveKyc>;

/** Body of `POST /v1/customers/:id/kyc/request_more`. */
export const RequestMoreKyc = Closed({
  reasons: Reasons,
  fields: Type.Optional(
    Type.Array(Type.String({ maxLength: 60 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Names of the fields that are needed (again).',
      examples: [['id_number', 'id_expiration_date']],
    }),
  ),
});
export type RequestMoreKyc = Static<typeof RequestMoreKyc>;

/** Body of `POST /v1/customers/:id/kyc/reject`. */
export const RejectKyc = Closed({ reasons: Reasons });
export type RejectKyc = Static<typeof RejectKyc>;

/** The answer of `POST /v1/customers/:id/kyc/reveal`. */
export const KycValues = Type.Object({
  object: Type.Literal('kyc_values'),
  customer: Type.String({ description: 'Id of the customer.', examples: ['cus_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  values: Type.Record(Type.String(), Type.String(), {
    description: 'The given fields by their names in SEP-9.',
    examples: [{ first_name: 'Ada', last_name: 'Lovelace' }],
  }),
});
export type KycValues = Static<typeof KycValues>;

/** A file of an identity check. Its content is another call. */
export const KycFile = Type.Object({
  id: Type.String({ description: 'kfile_…', examples: ['kfile_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('kyc_file'),
  customer: Type.String({ description: 'Id of the customer.', examples: ['cus_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  field: Type.String({ description: 'Name by SEP-9.', examples: ['photo_id_front'] }),
  type: OneOf(['image/jpeg', 'image/png', 'image/webp', 'application/pdf'], {
    description: 'Media type, by the content of the file.',
  }),
  size: Type.Integer({ description: 'Bytes of the stored file.', examples: [482_113] }),
  sha256: Type.String({
    description: 'SHA-256 of the stored file, in hexadecimal. Stored images lack metadata, so it differs from yours.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type KycFile = Static<typeof KycFile>;

/** Body of `POST /v1/test_helpers/customers/:id/kyc`. */
export const TestKyc = Closed({
  status: { ...SettableStatus, description: 'The status that the check takes.' },
  tier: Type.Optional({ ...KycTier, description: 'The approved tier. Default: the requested one.' }),
});
export type TestKyc = Static<typeof TestKyc>;

/** The object of each event about identity checks. */
export interface KycEvents {
  /** Data arrived, a review began, or more is needed. */
  'kyc.updated': Kyc;
  'kyc.approved': Kyc;
  'kyc.rejected': Kyc;
}
