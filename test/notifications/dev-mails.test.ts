import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'

const app = useApp()

const LOCAL = { host: 'localhost:3000', accept: 'text/html' }
const mail = (subject: string) => ({
  id: subject,
  to: 'ada@example.org',
  subject,
  text: 'Follow\nhttp://127.0.0.1:3000/emails/confirm?token=abc\nor do nothing <script>alert(1)</script>',
  html: '<!doctype html><html><head></head><body><a href="http://127.0.0.1:3000/x">x</a></body></html>',
})

async function startApp(env: Record<string, string> = {}) {
  const folder = createTemporaryFolder()
  const opened = await appOn(app.db, { DATA_DIR: folder, PUBLIC_URL: 'http://127.0.0.1:3000', ...env })
  const get = (path: string, headers: Record<string, string> = LOCAL) => opened.anonymous.send('GET', path, { headers })
  return { ...opened, folder, get }
}

describe('/dev/mails', () => {
  it('lists mails that were stored without a server, newest first, and shows each with its links', async () => {
    const { services, folder, get } = await startApp()
    const sent = [await services.mailer.send(mail('First')), await services.mailer.send(mail('Second'))]

    const list = await get('/dev/mails')
    const names = [...list.text.matchAll(/href="\/dev\/mails\/([^"]+)"/g)].map(([, name = '']) => name)
    const page = await get(`/dev/mails/${names[1]}`)
    const html = await get(`/dev/mails/${names[1]}/html`)
    const raw = await get(`/dev/mails/${names[1]}.eml`)

    expect(sent.map(({ outcome }) => outcome)).toEqual(['sent', 'sent'])
    expect([list.status, page.status, html.status, raw.status]).toEqual([200, 200, 200, 200])
    expect(list.text.indexOf('Second')).toBeLessThan(list.text.indexOf('First'))
    expect(page.text).toContain('<a href="http://127.0.0.1:3000/emails/confirm?token=abc">')
    expect(page.text).toContain('<h1>First</h1>')
    expect(page.text).not.toContain('<script>')
    expect(html.text).toContain('<base target="_top">')
    expect(html.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.text).toContain(`href="/dev/mails/${names[1]}.eml"`)
    expect(raw.headers['content-type']).toBe('message/rfc822')
    expect(raw.text).toBe(readFileSync(join(folder, 'mails', `${names[1]}.eml`), 'utf8'))
    for (const { headers } of [list, page, html, raw]) {
      expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
    }
  })

  it('shows a message if there are none yet', async () => {
    const { get } = await startApp()

    const { status, text } = await get('/dev/mails')

    expect(status).toBe(200)
    expect(text).toContain('There are no mails yet')
  })

  it.each(['/dev/mails/nothing.eml', '/dev/mails/..%2Fsecret.eml', '/dev/mails/secret', '/dev/mails/nothing.eml/html'])(
    'returns 404 for a path that is no mail: %s',
    async (path) => {
      const { folder, get } = await startApp()
      mkdirSync(join(folder, 'mails'))
      writeFileSync(join(folder, 'secret.eml'), 'secret')

      expect((await get(path)).status).toBe(404)
    },
  )

  it.each(['127.0.0.1', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST'])('exists for the host %s', async (host) => {
    const { get } = await startApp()

    expect((await get('/dev/mails', { host })).status).toBe(200)
  })

  it.each<Record<string, string>>([
    { host: 'fixpoint.example' },
    { host: 'localhost.fixpoint.example' },
    { host: '127.0.0.1.fixpoint.example:3000' },
    { host: '192.168.1.7:3000' },
    { ...LOCAL, 'x-forwarded-for': '203.0.113.7' },
    { ...LOCAL, 'x-forwarded-host': 'fixpoint.example' },
    { ...LOCAL, forwarded: 'for=203.0.113.7' },
    { ...LOCAL, via: '1.1 proxy' },
    { ...LOCAL, 'x-real-ip': '203.0.113.7' },
  ])('returns 404 for %j', async (headers) => {
    const { get } = await startApp()

    expect((await get('/dev/mails', headers)).status).toBe(404)
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://elsewhere.example' },
  ])('returns 403 for a request from another site: %j', async (headers) => {
    const { get } = await startApp()

    expect(await get('/dev/mails', { host: LOCAL.host, ...headers })).toMatchObject({
      status: 403,
      body: { message: 'No other site may open this page: type its address into the browser.' },
    })
  })

  it.each([{ HOST: '0.0.0.0' }, { SMTP_URL: 'smtp://127.0.0.1:9' }, { PUBLIC_URL }])(
    'returns 404 with the configuration %j',
    async (env) => {
      const { get } = await startApp(env)

      expect((await get('/dev/mails')).status).toBe(404)
    },
  )
})
