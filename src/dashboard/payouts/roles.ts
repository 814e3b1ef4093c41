import type { nothing, TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { roleNote } from '../controls/states.ts';

/** Why a person sees no buttons that send money. Nothing for those who have the buttons. */
export const mayNotSend = (app: Pick<DashboardContext, 'may' | 'session'>): TemplateResult | typeof nothing =>
  roleNote(app, 'money');
