import type { PayClient } from '../../../api/client.ts';
import type { Recipient } from '../../../api/recipient.ts';
import type { Pick, Picker } from '../../controls/picker/picker.ts';

/** A recipient as a choice of a picker. */
export const pickOf = ({ id, name, email, reference }: Recipient): Pick => ({
  id,
  label: name,
  detail: [email, reference].filter(Boolean).join(' · '),
});

const mostNewest = 10;

/**
 * Finds recipients by the beginning of first name, last name or e-mail, or by a whole reference or id. For an empty
 * text, the newest.
 */
export const recipientFinder =
  ({ recipients, search }: PayClient): Picker['find'] =>
  async (text, signal) => {
    if (text === '') return (await recipients.list({ limit: mostNewest }, { signal })).data.map(pickOf);
    const { data } = await search({ q: text, type: 'recipient' }, { signal });
    return data.map(({ id, title, subtitle }) => ({ id, label: title, detail: subtitle }));
  };
