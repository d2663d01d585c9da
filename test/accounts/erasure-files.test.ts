import { expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sendMails } from '../../jobs/handlers/send-mails.ts'
import { eraseAccount } from '../../src/accounts/erasure.ts'
import { exportData } from '../../src/accounts/export-data.ts'
import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { silentLog } from '../jobs/log.ts'
import { createMailer } from '../jobs/mails.ts'

const app = useApp()

it('an erasure deletes the files of mails to the person, which are written without a mail server', async () => {
  const [ada, ben] = [await app.create.user({ name: 'Ada Park' }), await app.create.user({ name: 'Ben Stone' })]
  const { mailer, ...others } = createMailer()
  const services = {
    ...{ ...others, mailer, db: app.db, files: app.services.files, log: silentLog, clock: () => new Date() },
    queue: { enqueue: () => Promise.resolve('') },
  }
  const { signal } = new AbortController()
  const mailTo = async ({ id, email }: TestUser) => {
    const event = await app.db.prisma.event.create({
      data: { type: 'user.password_changed', subject_type: 'user', subject_id: id },
    })
    const address = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { email } })
    await app.db.prisma.mail.create({ data: { kind: 'account', event_id: event.id, email_address_id: address.id } })
  }
  const receivers = async () => {
    const files = await Promise.all((await mailer.folder.list(10)).map((name) => mailer.folder.read(name)))
    return files.map((file) => /^To: (.*)$/m.exec(String(file))?.[1]).sort()
  }
  for (const person of [ada, ben, ada]) await mailTo(person)
  await sendMails({}, services, signal)
  const before = await receivers()

  await eraseAccount({ db: app.db, files: app.services.files }, { userId: ada.id, content: 'keep' })
  const due = await queryRows<{ event_id: number; handler: string }>(
    app.db,
    sql`SELECT d.event_id, d.handler FROM outbox_deliveries d WHERE d.delivered_at IS NULL`,
  )
  for (const delivery of due) await deliver(delivery, services, signal)
  const after = await receivers()
  await sendMails({}, services, signal)

  expect([before, after]).toEqual([[ada.email, ada.email, ben.email], [ben.email]])
  // The receipt.
  expect(await receivers()).toEqual([ada.email, ben.email])
})

it('an erasure while the zip of an export is written leaves no zip', async () => {
  const { db, files } = app.services
  const ada = await app.create.user({ name: 'Ada Park' })
  const put: typeof files.put = async (...file) => {
    await eraseAccount({ db, files }, { userId: ada.id, content: 'keep' })
    await files.put(...file)
  }

  const isExported = await exportData({ db, files: { ...files, put } }, ada.id)

  expect([isExported, await Array.fromAsync(files.list(['exports/']))]).toEqual([false, []])
})
