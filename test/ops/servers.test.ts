import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { StoreUnavailable } from '../../src/storage/file-store.ts'
import { appOn } from '../http/app-on.ts'
import { useApp } from '../helpers/use-app.ts'
import { OPS_TOKEN, opsBearer } from './ops-app.ts'
import { readScrape } from './prometheus.ts'

const app = useApp()

describe('the storage and the servers of the settings', () => {
  it('raise an alarm and have a metric if they do not answer', async () => {
    const env = { OPS_TOKEN, SMTP_URL: 'smtp://127.0.0.1:1', GEOCODER_URL: 'http://127.0.0.1:1' }
    const files = { ...app.services.files, size: () => Promise.reject(new StoreUnavailable('away')) }
    const { anonymous } = await appOn(app.db, env, { files })
    const ask = (url: string) => anonymous.send('GET', url, { headers: opsBearer })

    const health = async () => (await ask('/ops/health')).body as { readonly checks: object; readonly alarms: string[] }

    await expect.poll(health).toMatchObject({
      checks: { servers: { storage: { status: 'alarm' }, mail_server: { status: 'alarm' }, geocoder: { status: 'alarm' } } },
      alarms: expect.arrayContaining(['mail_server: it does not answer']) as string[],
    })
    const { samples } = readScrape((await ask('/metrics')).text)
    expect(samples.get('fixpoint_server_up{server="mail_server"}')).toBe(0)
  })

  it('raise an alarm within five minutes if the mail server answers, but takes none of several mails', async () => {
    const event = await app.db.prisma.event.create({ data: { type: 'user.registered', subject_type: 'user', subject_id: 1 } })
    const mail = { kind: 'draft', event_id: event.id, locale: 'en', attempts: 4, due_at: new Date(Date.now() + 60_000) } as const
    const write = (count: number) =>
      app.db.prisma.mail.createMany({ data: Array.from({ length: count }, (_, n) => ({ ...mail, email: `${n}@example.org` })) })
    const alarms = async (minutes: number) => {
      await app.db.execute(sql`UPDATE events e SET created_at = now() - make_interval(mins => ${minutes}) WHERE e.id = ${event.id}`)
      const { anonymous } = await appOn(app.db, { OPS_TOKEN })
      const health = await anonymous.send('GET', '/ops/health', { headers: opsBearer })
      return (health.body as { readonly alarms: string[] }).alarms.filter((alarm) => alarm.startsWith('mails'))
    }

    await write(4)
    const few = await alarms(5)
    await write(1)
    const found = [await alarms(3), await alarms(5)]
    await app.db.execute(
      sql`UPDATE mails m SET sent_at = now(), email = NULL WHERE m.message_id = (SELECT one.message_id FROM mails one LIMIT 1)`,
    )
    await write(1)

    const alarm = expect.stringMatching(/^mails: the mail server has taken none, for 3\d\d s$/) as string
    expect([few, ...found, await alarms(5)]).toEqual([[], [], [alarm], []])
  })

  it('are left out if they are not set, and are ok if they answer', async () => {
    const { anonymous } = await appOn(app.db, { OPS_TOKEN })
    const ask = async () => (await anonymous.send('GET', '/ops/health', { headers: opsBearer })).body

    await expect.poll(ask).toMatchObject({ checks: { servers: { storage: { status: 'ok' } } } })
    expect(await ask()).not.toHaveProperty('checks.servers.mail_server')
  })
})
