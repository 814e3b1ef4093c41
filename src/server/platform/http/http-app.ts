import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Static, TSchema } from 'typebox';

/**
 * Types parameters, queries and bodies by the schemas of their route. `@fastify/type-provider-typebox` would also type
 * responses, and therefore reject handlers that send a reply and return it.
 */
interface RequestTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

/** The HTTP server in the form that modules use to register routes. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  RequestTypes
>;
