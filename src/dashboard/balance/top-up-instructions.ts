import type { TemplateResult } from 'lit';
import type { TopUp } from '../../api/balance/top-up.ts';
import { keyValues } from '../controls/key-values.ts';

/** The instructions for sending the money of a top-up. Empty if the server no longer has the rail. */
export function topUpInstructions({ instructions: way }: TopUp): TemplateResult {
  if (way === null) return keyValues([]);
  if (way.type === 'crypto_transfer') {
    return keyValues([
      { label: 'Asset', value: way.asset.split(':')[0] },
      { label: 'Stellar address', value: way.address, copy: way.address },
      { label: 'Or account', value: way.base_address, copy: way.base_address },
      { label: 'with memo', value: way.memo, copy: way.memo ?? '' },
    ]);
  }
  // Most rails include the reference in their fields.
  const isNamed = way.fields.some(({ value }) => value === way.reference);
  const fields = isNamed ? way.fields : [...way.fields, { label: 'Reference', value: way.reference }];
  return keyValues(
    fields.map(({ label, value }) => ({
      label: value === way.reference ? `${label} (required)` : label,
      value,
      copy: value,
    })),
  );
}
