import type { DeliveryHandlerName } from '../../src/queue/job-definitions.ts'
import { moderate } from './moderate.ts'
import { createQuestionMails } from './create-question-mails.ts'
import { createIssueMails } from './create-issue-mails.ts'
import { matchWatchAreas } from './match-watch-areas.ts'
import { sendAccountMails } from './send-account-mails.ts'
import { sendDraftMails, sendReceiptMails } from './reports-without-account.ts'
import { forwardIssue } from '../../src/forwarding/forward-issue.ts'
import { forwardUpdate } from '../../src/forwarding/forward-update.ts'
import { createSquareAvatar, createSmallerImages } from './create-smaller-images.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'

export const deliveryHandlers: { readonly [Name in DeliveryHandlerName]: DeliveryHandler } = {
  moderate,
  'create-question-mails': createQuestionMails,
  'create-issue-mails': createIssueMails,
  'match-watch-areas': matchWatchAreas,
  'send-account-mails': sendAccountMails,
  'send-draft-mails': sendDraftMails,
  'send-receipt-mails': sendReceiptMails,
  'forward-issue': ({ subject_id }, services, signal) => forwardIssue(services, subject_id, signal),
  'forward-update': (event, services, signal) => forwardUpdate(services, event, signal),
  'create-square-avatar': createSquareAvatar,
  'create-smaller-images': createSmallerImages,
}
