import type { Offer } from './entries.ts';
import { pairKey } from './identifiers.ts';

/** stellar-core compares prices as doubles and then ids (`isBetterOffer`), so this must not be exact either. */
function compareOffers(a: Offer, b: Offer): number {
  const difference = a.price.n / a.price.d - b.price.n / b.price.d;
  return difference !== 0 ? difference : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

const marketOf = ({ selling, buying }: Offer): string => pairKey(selling, buying);

/** All offers by market, best first. */
export class OrderBooks {
  readonly #books = new Map<string, Offer[]>();

  follow(_: string, before: Offer | undefined, after: Offer | undefined): void {
    if (before && after && marketOf(before) === marketOf(after) && compareOffers(before, after) === 0) {
      const book = this.#bookOf(before);
      book[position(book, before)] = after;
      return;
    }
    if (before) this.#remove(before);
    if (after) {
      const book = this.#bookOf(after);
      book.splice(position(book, after), 0, after);
    }
  }

  /** Offers that sell one asset for another, best first. */
  book(selling: string, buying: string): readonly Offer[] {
    return this.#books.get(pairKey(selling, buying)) ?? [];
  }

  /** Markets that have offers. */
  pairs(): { selling: string; buying: string }[] {
    return [...this.#books.values()].flatMap(([best]) =>
      best ? [{ selling: best.selling, buying: best.buying }] : [],
    );
  }

  #bookOf(offer: Offer): Offer[] {
    const key = marketOf(offer);
    const book = this.#books.get(key) ?? [];
    this.#books.set(key, book);
    return book;
  }

  #remove(offer: Offer): void {
    const book = this.#bookOf(offer);
    book.splice(position(book, offer), 1);
    if (book.length === 0) this.#books.delete(marketOf(offer));
  }
}

/** The index of an offer in its book, or the index at which it belongs, by bisection. */
function position(book: readonly Offer[], offer: Offer): number {
  let low = 0;
  let high = book.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareOffers(book[middle] as Offer, offer) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
