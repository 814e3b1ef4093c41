import * as reportSchemas from '../../api/dashboard/report.ts';
import { foldSweep } from '../platform/db/folded-sums.ts';
import { everybody } from '../platform/http/access/roles.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { figures } from './figures.store.ts';
import { type ReportDeps, registerOverviewRoute } from './overview.routes.ts';

const { AttentionItem, Overview } = reportSchemas;

/** Figures over many payments. Each change of a payment updates them. */
export const reports = defineModule<ReportDeps>({
  name: 'reports',
  tables: ['payment_figures', 'payment_figure_changes'],
  triggers: ['payments_figures_of_new', 'payments_figures_of_changed'],
  schemas: schemasIn({ AttentionItem, Overview }),
  scopes: { reports: { read: everybody } },
  tags: { Reports: 'Figures over many payments.' },
  routes: registerOverviewRoute,
  sweeps: ({ db }) => [foldSweep('reports.fold', db, figures)],
});
