import type { DeliveryHandlerName } from '../../src/queue/job-definitions.ts'
import { moderate } from './moderate.ts'
import { createQuestionNotifications } from './create-question-notifications.ts'
import { createIssueNotifications } from './create-issue-notifications.ts'
import { matchWatchAreas } from './match-watch-areas.ts'
import { sendAccountMails } from './send-account-mails.ts'
import { createSquareAvatar, createSmallerImages } from './shrink-picture.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'

export const deliveryHandlers: { readonly [Name in DeliveryHandlerName]: DeliveryHandler } = {
  moderate,
  'create-question-notifications': createQuestionNotifications,
  'create-issue-notifications': createIssueNotifications,
  'match-watch-areas': matchWatchAreas,
  'send-account-mails': sendAccountMails,
  'shrink-avatar': createSquareAvatar,
  'shrink-picture': createSmallerImages,
}
