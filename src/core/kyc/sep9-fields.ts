/** Whether a customer is a natural person or an organization. */
export type KycType = 'person' | 'organization';

/**
 * The form of a field's value, by SEP-9. `country`: ISO 3166-1 alpha-3. `language`: ISO 639-1. `date`: ISO 8601.
 * `phone`: E.164. `occupation`: ISCO-08. `count`: a whole number. `file`: an image or a PDF.
 */
export const fieldFormats = [
  ...(['text', 'date', 'country', 'language', 'phone', 'email', 'web', 'occupation', 'count', 'file'] as const),
] as const;
export type FieldFormat = (typeof fieldFormats)[number];

/** A field of the standard SEP-9. */
export interface Sep9Field {
  readonly name: string;
  readonly of: KycType;
  readonly format: FieldFormat;
  readonly description: string;
  /** The only values of the field. */
  readonly choices?: readonly string[];
  /** Longest text of the format `text`. Default: 200 characters. */
  readonly longest?: number;
}

type Entry = readonly [name: string, format: FieldFormat, description: string, more?: Partial<Sep9Field>];

const person: readonly Entry[] = [
  ['last_name', 'text', 'Family name.'],
  ['first_name', 'text', 'Given name.'],
  ['additional_name', 'text', 'Middle name or other additional name.'],
  ['birth_date', 'date', 'Date of birth.'],
  ['birth_place', 'text', 'Place of birth, as in the passport.'],
  ['birth_country_code', 'country', 'Country of birth.'],
  ['sex', 'text', 'Sex, as in the passport.', { choices: ['male', 'female', 'other'] }],
  ['address_country_code', 'country', 'Country of residence.'],
  ['state_or_province', 'text', 'State, province or region of residence.'],
  ['city', 'text', 'City of residence.'],
  ['postal_code', 'text', 'Postal code of residence.', { longest: 20 }],
  ['address', 'text', 'Whole address, with line breaks.', { longest: 500 }],
  ['mobile_number', 'phone', 'Mobile number.'],
  ['email_address', 'email', 'E-mail address.'],
  ['language_code', 'language', 'Preferred language.'],
  ['tax_id', 'text', 'Tax number, for example the social security number in the USA.', { longest: 60 }],
  ['tax_id_name', 'text', 'Kind of the tax number, for example `SSN`.', { longest: 60 }],
  ['occupation', 'occupation', 'Occupation.'],
  ['employer_name', 'text', 'Name of the employer.'],
  ['employer_address', 'text', 'Address of the employer.', { longest: 500 }],
  [
    'id_type',
    'text',
    'Kind of identity document.',
    { choices: ['passport', 'id_card', 'drivers_license', 'residence_permit'] },
  ],
  ['id_country_code', 'country', 'Country that issued the identity document.'],
  ['id_number', 'text', 'Number of the identity document.', { longest: 60 }],
  ['id_issue_date', 'date', 'Date of issue of the identity document.'],
  ['id_expiration_date', 'date', 'Last day on which the identity document is valid.'],
  ['photo_id_front', 'file', 'Front of the identity document.'],
  ['photo_id_back', 'file', 'Back of the identity document.'],
  ['notary_approval_of_photo_id', 'file', 'A notary’s approval of the identity document.'],
  ['photo_proof_residence', 'file', 'Proof of residence with name and address, such as a utility bill.'],
  ['proof_of_income', 'file', 'Proof of income.'],
  ['proof_of_liveness', 'file', 'Picture that shows the living person.'],
];

const organization: readonly Entry[] = [
  ['organization.name', 'text', 'Full name, as in the incorporation papers.'],
  ['organization.VAT_number', 'text', 'VAT number.', { longest: 60 }],
  ['organization.registration_number', 'text', 'Number in the register of companies.', { longest: 60 }],
  ['organization.registration_date', 'date', 'Date of registration.'],
  ['organization.registered_address', 'text', 'Registered address, with line breaks.', { longest: 500 }],
  ['organization.number_of_shareholders', 'count', 'Number of shareholders.'],
  ['organization.shareholder_name', 'text', 'Name of the largest shareholder.'],
  ['organization.address_country_code', 'country', 'Country of the registered address.'],
  ['organization.state_or_province', 'text', 'State, province or region.'],
  ['organization.city', 'text', 'City.'],
  ['organization.postal_code', 'text', 'Postal code.', { longest: 20 }],
  ['organization.director_name', 'text', 'Name of the registered managing director.'],
  ['organization.website', 'web', 'Website.'],
  ['organization.email', 'email', 'E-mail address.'],
  ['organization.phone', 'phone', 'Phone number.'],
  ['organization.photo_incorporation_doc', 'file', 'Incorporation documents.'],
  ['organization.photo_proof_address', 'file', 'Proof of the registered address, such as a utility bill.'],
];

const fieldsOf = (of: KycType, entries: readonly Entry[]): readonly Sep9Field[] =>
  entries.map(([name, format, description, more]) => ({ name, of, format, description, ...more }));

/**
 * The fields of SEP-9 that customers carry: those of people and of organizations. Bank accounts and wallets belong to
 * recipients.
 */
export const sep9Fields: readonly Sep9Field[] = [
  ...fieldsOf('person', person),
  ...fieldsOf('organization', organization),
];

const byName: ReadonlyMap<string, Sep9Field> = new Map(sep9Fields.map(field => [field.name, field]));

/** The field with this name, or undefined. */
export function sep9Field(name: string): Sep9Field | undefined {
  return byName.get(name);
}

/** Whether the field takes a file, not a text. */
export function isFileField(name: string): boolean {
  return byName.get(name)?.format === 'file';
}
