import { composeOneByOne, type CreateComposer, type FurtherComposers } from '../../notifications/composer.ts'
import { composeDailyMail } from './compose-daily-mail.ts'
import { listDailyIssues, listDailyRecipients } from './daily-queries.ts'
import { composeInboxMail } from './inbox.ts'

const createDailyComposer: CreateComposer = async (mails, context) => {
  const recipients = await listDailyRecipients(
    context.db,
    mails.map(({ message_id }) => message_id),
  )
  const composeOne = composeOneByOne(async ({ email_address_id, subject_id }) => {
    const recipient = recipients.find((one) => one.email_address_id === email_address_id && one.organization_id === subject_id)
    return recipient && composeDailyMail(recipient, await listDailyIssues(context.db, recipient, context.now), context)
  })
  return composeOne(mails, context)
}

/** Composers of the mails of organisations to their members and inboxes. */
export const staffMailComposers: FurtherComposers = { work: createDailyComposer, inbox: composeOneByOne(composeInboxMail) }
