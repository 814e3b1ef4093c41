import type { PayClient } from '../../../api/client.ts';
import type { Customer } from '../../../api/dashboard/customer.ts';
import type { Pick, Picker } from '../../controls/picker/picker.ts';

const mostNewest = 10;

/** The functions of the editor that takes a customer's data into its form. */
interface CustomerChoiceOptions {
  readonly client: () => PayClient;
  /** Takes the chosen customer. Null: the person types the data. */
  readonly choose: (customer: Customer | null) => void;
  readonly fail: (error: unknown) => void;
}

/** Finds customers for a picker, and reads the picked one. Only the last pick counts. */
export class CustomerChoice {
  readonly #options: CustomerChoiceOptions;
  #last: Pick | null = null;
  #taken: { readonly pick: Pick; readonly email: string } | null = null;

  constructor(options: CustomerChoiceOptions) {
    this.#options = options;
  }

  /** Finds customers by the beginning of first name, last name or e-mail, or by id. For an empty text, the newest. */
  readonly find: Picker['find'] = async (text, signal) => {
    const { customers, search } = this.#options.client();
    if (text === '') {
      const { data } = await customers.list({ limit: mostNewest }, { signal });
      return data.map(({ id, email, name }) => ({ id, label: name ?? email, detail: name === null ? null : email }));
    }
    const { data } = await search({ q: text, type: 'customer' }, { signal });
    return data.map(({ id, title, subtitle }) => ({ id, label: title, detail: subtitle }));
  };

  /** The taken customer. Null if no customer was taken, or the person has typed another e-mail address since. */
  chosenFor(email: string | undefined): Pick | null {
    return this.#taken?.email === email ? (this.#taken?.pick ?? null) : null;
  }

  readonly take = async (pick: Pick | null): Promise<void> => {
    const { client, choose, fail } = this.#options;
    this.#last = pick;
    try {
      const customer = pick === null ? null : await client().customers.retrieve(pick.id);
      if (this.#last !== pick) return;
      this.#taken = pick && customer && { pick, email: customer.email };
      choose(customer);
    } catch (error) {
      if (this.#last === pick) fail(error);
    }
  };
}
