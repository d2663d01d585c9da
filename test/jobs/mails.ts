import type { JobServices } from '../../jobs/handlers/services.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'

/** Mails that land in a folder of their own, gone after the test. */
export function givenMailer(): Pick<JobServices, 'mailer' | 'urls'> {
  const urls = urlsFrom(() => PUBLIC_URL)
  return { urls, mailer: openMailer({ smtpUrl: undefined, mailFrom: undefined, dataDir: createTemporaryFolder() }, urls) }
}
