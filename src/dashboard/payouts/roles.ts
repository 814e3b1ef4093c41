import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { note } from '../controls/states.ts';

/** Why a person sees no buttons that send money. Empty for people who may send money. */
export function mayNotSend(app: Pick<DashboardContext, 'may' | 'session'>): TemplateResult | typeof nothing {
  if (app.may('money')) return nothing;
  const role = app.session?.role ?? 'viewer';
  return note(html`Your role, <strong>${role}</strong>, may look but not move money. Owners, admins and finance may.`);
}
