import type { nothing, TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { roleNote } from '../controls/states.ts';

/** A note for roles that may not send money, because their pages lack the buttons. Nothing for other roles. */
export const mayNotSend = (app: Pick<DashboardContext, 'may' | 'session'>): TemplateResult | typeof nothing =>
  roleNote(app, 'money');
