import { Type } from 'typebox';
import { Timestamp } from '../schema.ts';

/** Answer of `GET /v1/rates?from=&to=`. */
export const RateAnswer = Type.Object({
  object: Type.Literal('rate'),
  from: Type.String(),
  to: Type.String(),
  rate: Type.String(),
  source: Type.String(),
  as_of: Timestamp,
});
