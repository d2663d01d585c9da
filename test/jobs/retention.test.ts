import { globSync } from 'node:fs'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

import { sweepDeviceFields } from '../../jobs/handlers/sweep-device-fields.ts'
import { sweepMailFolder } from '../../jobs/handlers/sweep-mail-folder.ts'
import { sql } from '../../src/database/database.ts'
import { REMOVED_RETENTION_DAYS } from '../../src/accounts/emails/rules.ts'
import { mailFolderIn } from '../../src/mail/folder.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { root, textOf } from '../docs/commands.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const NOW = new Date('2026-06-01T12:00:00Z')
const clock = () => NOW
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

describe('device fields', () => {
  const device = { device_id: 'a1b2', device_os: 'Android 16', device_name: 'Pixel 9' }
  const none = { device_id: null, device_os: null, device_name: null }

  async function issueWithDevice(created: Date, fields: Partial<typeof device> = device) {
    const id = await app.create.issue({ created_at: created.toISOString() })
    await app.db.prisma.issue.update({ where: { id }, data: fields })
    return id
  }
  const devices = () => queryRows(app.db, sql`SELECT i.id, i.device_id, i.device_os, i.device_name FROM issues i ORDER BY i.id`)

  test('of reports are empty ninety days after the report, and nothing else of them changes', async () => {
    const [old, some, young] = [
      await issueWithDevice(daysAgo(90)),
      await issueWithDevice(daysAgo(400), { device_os: 'iOS 20' }),
      await issueWithDevice(daysAgo(89)),
    ]
    const shown = await app.as.anonymous.get(`/issues/${old}`)

    await sweepDeviceFields({}, { db: app.db, clock })
    await sweepDeviceFields({}, { db: app.db, clock })

    expect(await devices()).toEqual([
      { id: old, ...none },
      { id: some, ...none },
      { id: young, ...device },
    ])
    const again = await app.as.anonymous.get(`/issues/${old}`)
    expect([again.body, again.headers['etag']]).toEqual([shown.body, shown.headers['etag']])
  })

  test('of comments are empty after as long', async () => {
    const on = await app.create.issue()
    const [old, young] = [
      await app.create.comment({ on, created_at: daysAgo(91).toISOString() }),
      await app.create.comment({ on, created_at: daysAgo(1).toISOString() }),
    ]
    await app.db.execute(sql`UPDATE comments SET device_id = 'a1b2' RETURNING id`)

    await sweepDeviceFields({}, { db: app.db, clock })

    const left = await queryRows(app.db, sql`SELECT c.id, c.device_id FROM comments c ORDER BY c.id`)
    expect(left).toEqual([
      { id: old, device_id: null },
      { id: young, device_id: 'a1b2' },
    ])
  })

  test('are emptied batch by batch until none is left', async () => {
    for (let n = 0; n < 401; n++) await issueWithDevice(daysAgo(100 + n))

    await sweepDeviceFields({}, { db: app.db, clock })

    expect(await queryRows(app.db, sql`SELECT i.id FROM issues i WHERE i.device_id IS NOT NULL`)).toEqual([])
  })
})

describe('mails in DATA_DIR/mails', () => {
  test('are removed after thirty days, and nothing else is', async () => {
    const dataDir = createTemporaryFolder()
    const stored = async (days: number) => mailFolderIn(dataDir, () => daysAgo(days)).store(`mail-${days}`, Buffer.from('x'))
    const [, young] = [await stored(31), await stored(29)]
    const other = join(dataDir, 'mails', '2020-note.txt')
    await writeFile(other, 'x')
    await utimes(other, daysAgo(400), daysAgo(400))
    const folder = mailFolderIn(dataDir)
    const services = { mailer: { ...app.services.mailer, folder }, clock }

    await sweepMailFolder({}, services)
    await sweepMailFolder({}, services)

    expect(await folder.list(10)).toEqual([young])
    expect(await folder.deleteOlderThan(NOW, 10)).toBe(1)
  })

  test('are removed while SMTP_URL is set, and so is what a crash left half-written', async () => {
    const dataDir = createTemporaryFolder()
    const stored = (days: number) => mailFolderIn(dataDir, () => daysAgo(days)).store(`mail-${days}`, Buffer.from('x'))
    const [, young] = [await stored(31), await stored(29)]
    const half = async (name: string, days: number) => {
      await writeFile(join(dataDir, 'mails', name), 'x')
      await utimes(join(dataDir, 'mails', name), daysAgo(days), daysAgo(days))
    }
    await half('.0123456789abcdef', 31)
    await half('.fedcba9876543210', 29)
    const mailer = openMailer({ smtpUrl: 'smtp://127.0.0.1:9', mailFrom: undefined, dataDir }, app.services.urls)
    onTestFinished(() => mailer.close())

    await sweepMailFolder({}, { mailer, clock })

    expect(await readdir(join(dataDir, 'mails'))).toEqual(['.fedcba9876543210', young])
  })

  test('need no folder', async () => {
    const folder = mailFolderIn(createTemporaryFolder())

    await sweepMailFolder({}, { mailer: { ...app.services.mailer, folder }, clock })

    expect(await folder.list(10)).toEqual([])
  })
})

test('docs/retention.md names every job that sweeps personal data, and how long removed addresses are kept', () => {
  const text = textOf('docs/retention.md')
  const sweeps = globSync('jobs/handlers/sweep-*.ts', { cwd: root }).map((file) => basename(file, '.ts'))

  expect(sweeps.filter((job) => !text.includes(`\`${job}\``)).sort()).toEqual([])
  expect(text).toMatch(new RegExp(`Removed e-mail addresses [^|]*\\| ${REMOVED_RETENTION_DAYS} days`))
})
