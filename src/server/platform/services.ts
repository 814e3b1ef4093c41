/** What provides services: a module, or the composition root for the adapters of networks. */
interface Provider {
  readonly provides?: Readonly<Record<string, (deps: never) => unknown>>;
}

type Creators<P extends Provider> = P extends { readonly provides?: infer Made } ? NonNullable<Made> : never;
type ServicesOf<P extends Provider> = {
  readonly [Name in keyof Creators<P>]: Creators<P>[Name] extends (deps: never) => infer Service ? Service : never;
};
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

/** The services of all providers in a list. A module whose needs are not among them does not compile in the list. */
export type Provided<List extends readonly Provider[]> = All<{ [At in keyof List]: ServicesOf<List[At]> }[number]>;

/**
 * Creates the services by which modules call each other, each when the first other one reads it. The order of the list
 * therefore does not matter. A service that `base` has already, such as a test's own, is not created. Creators receive
 * `base` with all services. They read what they need and spread nothing, because a spread reads every service. Throws
 * Error if services need each other in a circle.
 */
export function provideServices(base: object, providers: readonly Provider[]): object {
  const all: Record<string, unknown> = Object.fromEntries(
    Object.entries(base).filter(([, value]) => value !== undefined),
  );
  const making: string[] = [];
  const creators = providers.flatMap(({ provides = {} }) => Object.entries(provides));
  const missing = creators.filter(([name]) => !(name in all));
  for (const [name, create] of missing) {
    const settle = (value: unknown) => Object.defineProperty(all, name, { value, enumerable: true });
    const get = () => {
      if (making.includes(name)) throw circle([...making.slice(making.indexOf(name)), name]);
      making.push(name);
      const service = create(all as never);
      making.pop();
      settle(service);
      return service;
    };
    Object.defineProperty(all, name, { get, enumerable: true, configurable: true });
  }
  for (const [name] of missing) void all[name];
  return all;
}

function circle(names: readonly string[]): Error {
  return new Error(`services need each other in a circle: ${names.join(' → ')}`);
}
