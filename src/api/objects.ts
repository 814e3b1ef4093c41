/** The requests, responses and objects of the API that the package's entry points export. */
export type { Approval } from './balance/approval.ts';
export type { Balance, BalanceEntry } from './balance/balance.ts';
export type { BalanceQuote, Conversion, CreateBalanceQuote, CreateConversion } from './balance/conversion.ts';
export type { CreateTopUp, TopUp } from './balance/top-up.ts';
export type { CreateWithdrawal, Withdrawal } from './balance/withdrawal.ts';
export type {
  CreateWalletTransaction,
  CryptoAssetOption,
  CryptoTransfer,
  SubmitWalletTransaction,
  WalletTransaction,
} from './crypto.ts';
export type { Capabilities, Capability } from './dashboard/capabilities.ts';
export type { CreateCustomer, Customer, UpdateCustomer } from './dashboard/customer.ts';
export type { CreateDomain, Domain } from './dashboard/domain.ts';
export type { AttentionItem, Overview, OverviewQuery } from './dashboard/report.ts';
export type { ApiRequest } from './dashboard/request.ts';
export type { SearchResult } from './dashboard/search.ts';
export type { Dispute, SubmitEvidence } from './disputes/dispute.ts';
export type {
  CreateWebhookEndpoint,
  Delivery,
  Event,
  EventType,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
} from './event.ts';
export type {
  CreateInvoice,
  InvoiceCustomer,
  InvoiceDiscount,
  InvoiceLineInput,
  InvoiceTax,
  SendInvoice,
  UpdateInvoice,
} from './invoice/invoice.ts';
export type {
  CreateCreditNote,
  CreditNote,
  CustomerCredit,
  InvoiceTransaction,
  PayInvoice,
  RecordPayment,
} from './invoice/invoice-money.ts';
export type { Installment, Invoice, InvoiceLine, InvoiceStatus } from './invoice/invoice-view.ts';
export type { CreateRecurringInvoice, RecurringInvoice } from './invoice/recurring.ts';
export type { InvoiceReminder, RemindInvoice } from './invoice/reminder.ts';
export type { TaxReport, TaxReportLine, TaxReportQuery } from './invoice/tax-report.ts';
export type { ApproveKyc, Kyc, KycField, KycValues, RejectKyc, RequestMoreKyc, UpdateKyc } from './kyc/kyc.ts';
export type { LineItem } from './line-item.ts';
export type { CreatePaymentLink, LinkStatus, PaymentLink, PayPaymentLink, UpdatePaymentLink } from './link.ts';
export type { Account, ApiKey, CreateApiKey, UpdateAccount } from './merchant.ts';
export type {
  CreatePayment,
  NextAction,
  Payment,
  PaymentException,
  PaymentMethod,
  PaymentOptions,
  PaymentPhase,
  PaymentQuote,
  PaymentStatus,
  ResolvePayment,
  UpdatePayment,
} from './payment.ts';
export type { ConfirmPayment, PaymentAttempt } from './payments/attempt.ts';
export type {
  CreatePayout,
  CreatePayouts,
  Payout,
  PayoutBatch,
  PayoutBatchStatus,
  PayoutDestination,
  PayoutSchedule,
  PayoutStatus,
  RowError,
  UpdatePayoutBatch,
} from './payout.ts';
export type {
  CreatedRamp,
  CreateRamp,
  CreateRampQuote,
  CreateRampRefund,
  Ramp,
  RampQuote,
  RampStatus,
} from './ramps/ramp.ts';
export type { RampFee, RampLimit, RampMethod, RampTerms } from './ramps/ramp-settings.ts';
export type { CreateRecipient, Recipient, RecipientDestination, UpdateRecipient } from './recipient.ts';
export type { CreateRefund, Refund } from './refund.ts';
export type { ErrorBody, Metadata, PostalAddress } from './schema.ts';
export type { Settlement } from './settlement.ts';
export type { AssignTransfer, ReturnTransfer, Transfer } from './transfer.ts';
