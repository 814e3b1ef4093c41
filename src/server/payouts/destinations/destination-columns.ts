/** The columns of a destination in a CSV file. A column has the name of its field, for example `destination.iban`. */
export const destinationColumns: readonly string[] = [
  ...['type', 'iban', 'bic', 'routing', 'account', 'country', 'account_holder', 'provider', 'number'],
  ...['chain', 'address', 'memo', 'memo_type', 'asset', 'claimable_balance'],
].map(field => `destination.${field}`);

/** The non-empty cells of a row, by column. */
type Cells = Readonly<Record<string, string>>;

/** The unchecked destination of a row, in the form of a request. Undefined if all its cells are empty. */
export function destinationOf(cells: Cells): Readonly<Record<string, unknown>> | undefined {
  const { claimable_balance: claimable, ...fields } = fieldsOf(cells, 'destination.');
  const flag = claimable === undefined ? {} : { claimable_balance: readFlag(claimable) };
  const destination = { ...fields, ...flag };
  return Object.keys(destination).length === 0 ? undefined : destination;
}

/** The metadata of a row (`metadata.team`), or undefined. */
export function metadataOf(cells: Cells): Readonly<Record<string, string>> | undefined {
  const metadata = fieldsOf(cells, 'metadata.');
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function fieldsOf(cells: Cells, prefix: string): Record<string, string> {
  const columns = Object.entries(cells).filter(([column]) => column.startsWith(prefix));
  return Object.fromEntries(columns.map(([column, cell]) => [column.slice(prefix.length), cell]));
}

/** A boolean for `true` or `false`. Returns other texts unchanged; the schema then rejects them. */
function readFlag(text: string): boolean | string {
  const word = text.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : text;
}
