import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { TestKeys } from '../platform/pages/welcome.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Passwords } from './password.ts';

/** What the calls for people use. */
export interface PeopleDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly publicUrl: () => string;
  readonly config: { readonly network: string };
  /** Names the first merchant. */
  readonly testKeys: () => Promise<TestKeys>;
}
