import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { note } from '../controls/states.ts';

/** Why a person sees no buttons that send money; nothing for those who have them. */
export function mayNotSend(app: Pick<DashboardContext, 'may' | 'session'>): TemplateResult | typeof nothing {
  if (app.may('money')) return nothing;
  const role = app.session?.role ?? 'viewer';
  return note(html`Your role, <strong>${role}</strong>, may look but not move money. Owners, admins and finance may.`);
}
