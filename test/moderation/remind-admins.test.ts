import { beforeEach, describe, expect, it } from 'vitest'

import { createDailyMails } from '../../jobs/handlers/batch-jobs.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'
import { createModerationScenario } from './scenario.ts'

const app = useApp()
const { flagged } = createModerationScenario(app)

let admin: TestUser
let mia: TestUser
let type: number

beforeEach(async () => {
  const organization = await app.create.organization()
  type = await app.create.requestType({ organization })
  admin = await app.create.user({ role: 'Admin', locale: 'es' })
  mia = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
})

/** Runs the job, and returns its mails. */
async function remind() {
  const box = createMailbox()
  const { services, send } = createNotifier(app.db, box.mailer)
  await createDailyMails({}, services)
  const pending = await app.db.prisma.outboxDelivery.findMany({ where: { handler: 'notify', delivered_at: null } })
  for (const { event_id } of pending)
    await deliver({ event_id: Number(event_id), handler: 'notify' }, services, new AbortController().signal)
  await send()
  return box.sent.map(({ to, subject }) => [to, subject])
}

const REMINDER = 'Hay contenido que espera tu revisión'
const hold = async (of: object) => flagged('issue', await app.create.issue({ moderation_state: 'held', ...of }))

describe('the mail to Admins', () => {
  it('is sent once a day as long as something waits that no moderator may decide on', async () => {
    await hold({ at: FAR_AWAY })

    expect(await remind()).toEqual([[admin.email, REMINDER]])
    expect(await remind()).toEqual([])
    await app.db.execute(sql`UPDATE events e SET created_at = now() - interval '25 hours' WHERE e.type = 'user.review_needed'`)
    expect(await remind()).toEqual([[admin.email, REMINDER]])
  })

  it('is sent once by two jobs at once', async () => {
    await hold({ at: FAR_AWAY })
    const { services } = createNotifier(app.db, createMailbox().mailer)

    await Promise.all([createDailyMails({}, services), createDailyMails({}, services)])

    expect(await app.db.prisma.event.count({ where: { type: 'user.review_needed' } })).toBe(1)
  })

  it('is sent about names of users, and about content of the only moderator', async () => {
    await flagged('user', mia.id, { name: 'x' })
    expect(await remind()).toEqual([[admin.email, REMINDER]])
    await app.db.execute(sql`DELETE FROM moderation_items`)
    await app.db.execute(sql`DELETE FROM events`)
    await hold({ request_type: type, reporter: mia })

    expect(await remind()).toEqual([[admin.email, REMINDER]])
  })

  it('is not sent about what a moderator decides on', async () => {
    await hold({ request_type: type })
    await hold({})

    expect(await remind()).toEqual([])
  })
})
