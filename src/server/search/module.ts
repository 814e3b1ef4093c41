import { SearchResult } from '../../api/dashboard/search.ts';
import { defineModule } from '../platform/module.ts';
import { registerSearchRoute, type SearchDeps } from './search.routes.ts';

/** One search over the objects of all modules. Each module declares how to find its objects. */
export const search = defineModule<SearchDeps>({
  name: 'search',
  schemas: { SearchResult },
  tags: { Search: 'Objects of every kind, by a text that names them.' },
  routes: registerSearchRoute,
});
