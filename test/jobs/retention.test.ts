import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { sweep } from './sweep.ts'
import { retentionRules } from '../../jobs/handlers/delete-expired.ts'
import { jobHandlers } from '../../jobs/handlers/job-handlers.ts'
import { sql } from '../../src/database/database.ts'
import { REMOVED_RETENTION_DAYS } from '../../src/accounts/emails/rules.ts'
import { openMailFolder } from '../../src/mail/folder.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { textOf } from '../docs/commands.ts'
import { createLogRecorder } from './log.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const NOW = new Date('2026-06-01T12:00:00Z')
const clock = () => NOW
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

describe('clear-device-fields', () => {
  const device = { device_id: 'a1b2', device_os: 'Android 16', device_name: 'Pixel 9' }
  const none = { device_id: null, device_os: null, device_name: null }

  async function issueWithDevice(created: Date, fields: Partial<typeof device> = device) {
    const id = await app.create.issue({ created_at: created.toISOString() })
    await app.db.prisma.issue.update({ where: { id }, data: fields })
    return id
  }
  const devices = () => queryRows(app.db, sql`SELECT i.id, i.device_id, i.device_os, i.device_name FROM issues i ORDER BY i.id`)

  it('clears the device fields of a report after ninety days and changes nothing else', async () => {
    const [old, partial, recent] = [
      await issueWithDevice(daysAgo(90)),
      await issueWithDevice(daysAgo(400), { device_os: 'iOS 20' }),
      await issueWithDevice(daysAgo(89)),
    ]
    const before = await app.as.anonymous.get(`/issues/${old}`)

    await sweep('clear-device-fields', { db: app.db, clock })
    await sweep('clear-device-fields', { db: app.db, clock })

    expect(await devices()).toEqual([
      { id: old, ...none },
      { id: partial, ...none },
      { id: recent, ...device },
    ])
    const after = await app.as.anonymous.get(`/issues/${old}`)
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']])
  })

  it('clears the device fields of a comment after ninety days', async () => {
    const on = await app.create.issue()
    const [old, recent] = [
      await app.create.comment({ on, created_at: daysAgo(91).toISOString() }),
      await app.create.comment({ on, created_at: daysAgo(1).toISOString() }),
    ]
    await app.db.execute(sql`UPDATE comments SET device_id = 'a1b2' RETURNING id`)

    await sweep('clear-device-fields', { db: app.db, clock })

    const left = await queryRows(app.db, sql`SELECT c.id, c.device_id FROM comments c ORDER BY c.id`)
    expect(left).toEqual([
      { id: old, device_id: null },
      { id: recent, device_id: 'a1b2' },
    ])
  })

  it('continues until no batch is left', async () => {
    for (let n = 0; n < 401; n++) await issueWithDevice(daysAgo(100 + n))

    await sweep('clear-device-fields', { db: app.db, clock })

    expect(await queryRows(app.db, sql`SELECT i.id FROM issues i WHERE i.device_id IS NOT NULL`)).toEqual([])
  })
})

describe('a sweep', () => {
  it('logs what it deleted by its name, and nothing if there was nothing', async () => {
    const { log, entries } = createLogRecorder()
    await issueWithDeviceAfter(100)

    await sweep('clear-device-fields', { db: app.db, clock, log })
    await sweep('clear-device-fields', { db: app.db, clock, log })

    expect(entries).toEqual([
      {
        level: 'info',
        message: 'deleted expired data',
        details: { job: 'clear-device-fields', data: 'devices of reports', deleted: 1 },
      },
    ])
  })

  async function issueWithDeviceAfter(days: number): Promise<void> {
    const id = await app.create.issue({ created_at: daysAgo(days).toISOString() })
    await app.db.prisma.issue.update({ where: { id }, data: { device_id: 'a1b2' } })
  }
})

describe('delete-old-mail-files', () => {
  it('deletes mails that are older than thirty days, and no other file', async () => {
    const dataDir = createTemporaryFolder()
    const stored = async (days: number) => openMailFolder(dataDir, () => daysAgo(days)).store(`mail-${days}`, Buffer.from('x'))
    const [, recent] = [await stored(31), await stored(29)]
    const other = join(dataDir, 'mails', '2020-note.txt')
    await writeFile(other, 'x')
    await utimes(other, daysAgo(400), daysAgo(400))
    const folder = openMailFolder(dataDir)
    const services = { mailer: { ...app.services.mailer, folder }, clock }

    await sweep('delete-old-mail-files', services)
    await sweep('delete-old-mail-files', services)

    expect(await folder.list(10)).toEqual([recent])
    expect(await folder.deleteOlderThan(NOW, 10)).toBe(1)
  })

  it('deletes old mails and temporary files even if SMTP_URL is set', async () => {
    const dataDir = createTemporaryFolder()
    const stored = (days: number) => openMailFolder(dataDir, () => daysAgo(days)).store(`mail-${days}`, Buffer.from('x'))
    const [, recent] = [await stored(31), await stored(29)]
    const createTemporaryFile = async (name: string, days: number) => {
      await writeFile(join(dataDir, 'mails', name), 'x')
      await utimes(join(dataDir, 'mails', name), daysAgo(days), daysAgo(days))
    }
    await createTemporaryFile('.0123456789abcdef', 31)
    await createTemporaryFile('.fedcba9876543210', 29)
    const mailer = openMailer({ smtpUrl: 'smtp://127.0.0.1:9', mailFrom: undefined, dataDir }, app.services.urls)
    onTestFinished(() => mailer.close())

    await sweep('delete-old-mail-files', { mailer, clock })

    expect(await readdir(join(dataDir, 'mails'))).toEqual(['.fedcba9876543210', recent])
  })

  it('succeeds if the folder does not exist', async () => {
    const folder = openMailFolder(createTemporaryFolder())

    await sweep('delete-old-mail-files', { mailer: { ...app.services.mailer, folder }, clock })

    expect(await folder.list(10)).toEqual([])
  })
})

describe('docs/retention.md', () => {
  it('has a row of each rule with its name and its job', () => {
    const rows = textOf('docs/retention.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))

    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(retentionRules.map(({ data }) => `\`${data}\``))
    expect(retentionRules.filter(({ job }, index) => !rows[index]?.includes(`\`${job}\``))).toEqual([])
  })

  it('lists every job that deletes personal data, and the retention of removed addresses', () => {
    const text = textOf('docs/retention.md')
    const jobs = Object.keys(jobHandlers).filter((name) => /^(clear|delete|purge)-/.test(name))

    expect(jobs.filter((job) => !text.includes(`\`${job}\``)).sort()).toEqual([])
    expect(text).toMatch(new RegExp(`Removed e-mail addresses [^|]*\\| ${REMOVED_RETENTION_DAYS} days`))
  })
})
