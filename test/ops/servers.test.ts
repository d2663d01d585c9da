import { describe, expect, it } from 'vitest'

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

  it('are left out if they are not set, and are ok if they answer', async () => {
    const { anonymous } = await appOn(app.db, { OPS_TOKEN })
    const ask = async () => (await anonymous.send('GET', '/ops/health', { headers: opsBearer })).body

    await expect.poll(ask).toMatchObject({ checks: { servers: { storage: { status: 'ok' } } } })
    expect(await ask()).not.toHaveProperty('checks.servers.mail_server')
  })
})
