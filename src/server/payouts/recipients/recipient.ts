import type { PayoutDestination } from '../../../api/payout.ts';
import type { Recipient, RecipientDestination } from '../../../api/recipient.ts';
import { type FieldError, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { invalidRequest } from '../../platform/http/validation.ts';
import { checkDestination } from '../destinations/destination.ts';
import type { DestinationContext } from '../destinations/destination-context.ts';
import type { RecipientDestinationRow, RecipientRow } from '../tables.ts';

/** A recipient with its destinations in their order. */
export interface RecipientRecord {
  readonly recipient: RecipientRow;
  readonly destinations: readonly RecipientDestinationRow[];
}

/** Maximum destinations of a recipient. */
export const mostDestinations = 20;

export function recipientToWire({ recipient, destinations }: RecipientRecord): Recipient {
  return {
    id: recipient.id,
    object: 'recipient',
    name: recipient.name,
    email: recipient.email,
    type: recipient.type,
    country: recipient.country,
    reference: recipient.reference,
    destinations: destinations.map(destinationToWire),
    metadata: recipient.metadata,
    livemode: recipient.livemode,
    created_at: recipient.created_at.toISOString(),
  };
}

function destinationToWire(row: RecipientDestinationRow): RecipientDestination {
  const { id, destination, is_default: isDefault, verification } = row;
  return { id, object: 'recipient_destination', destination, default: isDefault, verification };
}

type Details = Pick<RecipientRow, 'name' | 'email' | 'type' | 'country' | 'reference' | 'metadata'>;

/** The recipient fields of a request. */
type GivenDetails = { readonly [Field in keyof Details]?: Details[Field] | undefined };

/** The columns of the given fields. Outer blanks are removed, and the country is in capitals. */
export function detailsOf({ name, email, type, country, reference, metadata }: GivenDetails): Partial<Details> {
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(email !== undefined && { email }),
    ...(type !== undefined && { type }),
    ...(country !== undefined && { country: country?.toUpperCase() ?? null }),
    ...(reference !== undefined && { reference: reference?.trim() ?? null }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Checks all destinations of a request. Throws the first error, with all errors in `errors`. */
export function checkDestinations(
  given: readonly PayoutDestination[],
  context: DestinationContext,
): readonly PayoutDestination[] {
  const errors: FieldError[] = [];
  const checked: PayoutDestination[] = [];
  const seen = new Set<string>();
  for (const [index, destination] of given.entries()) {
    const param = `destinations[${index}]`;
    const found = checkDestination(destination, param, context);
    if ('errors' in found) errors.push(...found.errors);
    else {
      const key = keyOf(found.destination);
      const message = `${param} is the same account as another destination. Leave it out.`;
      if (seen.has(key)) errors.push({ param, code: 'invalid_destination', message });
      seen.add(key);
      checked.push(found.destination);
    }
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return checked;
}

/** A text by which equal destinations compare equal, whatever the order of their fields. */
function keyOf(destination: PayoutDestination): string {
  return JSON.stringify(Object.entries(destination).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The rows of a recipient's destinations. An unchanged destination keeps its id and verification. If `defaultId` is
 * null, the first destination is the default.
 */
export function destinationRows(
  recipient: Pick<RecipientRow, 'merchant_id' | 'id'>,
  known: readonly RecipientDestinationRow[],
  wanted: readonly PayoutDestination[],
  defaultId: string | null,
): readonly RecipientDestinationRow[] {
  const byKey = new Map(known.map(row => [keyOf(row.destination), row]));
  const rows = wanted.map((destination, position) => {
    const same = byKey.get(keyOf(destination));
    return {
      merchant_id: recipient.merchant_id,
      id: same?.id ?? newId('recipientDestination'),
      recipient_id: recipient.id,
      position,
      destination,
      verification: same?.verification ?? ('unverified' as const),
    };
  });
  const chosen = defaultId ?? rows[0]?.id;
  if (defaultId !== null && !rows.some(({ id }) => id === defaultId)) {
    const message = 'default_destination must be the id of one of the recipient’s destinations.';
    throw new PayError('parameter_invalid', message, { param: 'default_destination' });
  }
  return rows.map(row => ({ ...row, is_default: row.id === chosen }));
}

/** The rows with this destination as the default. Adds the destination if it is missing. */
export function withDefault(
  recipient: Pick<RecipientRow, 'merchant_id' | 'id'>,
  known: readonly RecipientDestinationRow[],
  destination: PayoutDestination,
): readonly RecipientDestinationRow[] {
  const key = keyOf(destination);
  const isKnown = known.some(row => keyOf(row.destination) === key);
  const all = known.map(row => row.destination);
  const rows = destinationRows(recipient, known, isKnown ? all : [...all, destination], null);
  return rows.map(row => ({ ...row, is_default: keyOf(row.destination) === key }));
}
