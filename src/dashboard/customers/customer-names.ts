import type { PayClient } from '../../api/client.ts';
import type { Page } from '../../api/pages.ts';
import { createCache } from '../../core/cache.ts';
import { shortenedWords } from '../controls/values.ts';

/** An object with the name of its customer. */
export type Named<T> = T & { readonly customer_name: string };

/** Reads the name of a customer by its id. */
type NameOf = (id: string) => Promise<string>;

/** Maximum number of names that a page keeps. */
const most = 500;

/**
 * Names of customers, for objects that have only a customer's id. Each customer is read once. A customer without a name
 * is called by the e-mail address, and one that cannot be read by the id.
 */
export function createNames(clientOf: () => PayClient): NameOf {
  const names = createCache<Promise<string>>(most);
  const read = async (id: string): Promise<string> => {
    try {
      const { name, email } = await clientOf().customers.retrieve(id);
      return name ?? email;
    } catch {
      return shortenedWords(id, 8, 4);
    }
  };
  return id => names(id, () => read(id));
}

/** A page of objects with the names of their customers. */
export async function withNames<T>(
  nameOf: NameOf,
  page: Page<T>,
  customerOf: (object: T) => string,
): Promise<Page<Named<T>>> {
  const named = page.data.map(async object => ({ ...object, customer_name: await nameOf(customerOf(object)) }));
  return { ...page, data: await Promise.all(named) };
}
