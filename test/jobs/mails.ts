import type { JobServices } from '../../jobs/handlers/services.ts'
import { createEndpointClient } from '../../src/georeport/endpoint-client.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'

/** Returns the services of jobs that send something: a mailer that writes to a temporary folder, which is deleted after the test. */
export function createMailer(): Pick<JobServices, 'mailer' | 'urls' | 'endpoints'> {
  const urls = urlsFrom(() => PUBLIC_URL)
  const endpoints = createEndpointClient({ allow: [] })
  return {
    urls,
    endpoints,
    mailer: openMailer({ smtpUrl: undefined, mailFrom: undefined, dataDir: createTemporaryFolder() }, urls),
  }
}
