import { type Static, Type } from 'typebox';
import { Nullable, Timestamp } from '../schema.ts';

/** An API call as the log stores it. */
export const ApiRequest = Type.Object({
  id: Type.String({ description: 'The `Request-Id` of the answer.' }),
  object: Type.Literal('request'),
  method: Type.String(),
  path: Type.String({ description: 'Without the query.' }),
  status: Type.Integer(),
  error: Nullable(Type.Object({ code: Type.String(), param: Nullable(Type.String()) })),
  key: Nullable(Type.String(), 'Id of the API key.'),
  person: Nullable(Type.String(), 'Id of the person, for a call of the dashboard.'),
  duration_ms: Type.Integer(),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type ApiRequest = Static<typeof ApiRequest>;
