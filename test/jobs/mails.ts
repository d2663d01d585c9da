import type { JobServices } from '../../jobs/handlers/services.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'

/** Returns a mailer that writes to a temporary folder, which is deleted after the test. */
export function createMailer(): Pick<JobServices, 'mailer' | 'urls'> {
  const urls = urlsFrom(() => PUBLIC_URL)
  return { urls, mailer: openMailer({ smtpUrl: undefined, mailFrom: undefined, dataDir: createTemporaryFolder() }, urls) }
}
