import { describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import { redImage } from '../media/stored-images.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const open = (path: string) => createBrowser(app.fastify).get(path)

interface Manifest {
  readonly lang: string
  readonly icons: readonly { readonly src: string; readonly purpose: string }[]
  readonly share_target: { readonly action: string }
}

describe('the site as an app', () => {
  it('has a manifest in the language of the page, whose icons exist', async () => {
    const page = await createBrowser(app.fastify).get('/places', { 'accept-language': 'es' })
    const [, href = ''] = /<link rel="manifest" href="([^"]+)"/.exec(page.text) ?? []

    const { status, headers, text } = await open(href)

    const { lang, icons } = JSON.parse(text) as Manifest
    const files = await Promise.all(icons.map(({ src }) => open(src)))
    expect([status, lang, headers['content-type']]).toEqual([200, 'es', 'application/manifest+json; charset=utf-8'])
    expect(files.map((file) => file.status)).toEqual(icons.map(() => 200))
    expect(icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
    expect(String(page.headers['content-security-policy'])).toContain("manifest-src 'self'")
  })

  it('has a worker that browsers always compare, which keeps only files and the page without a connection', async () => {
    const { headers, text } = await open('/service-worker.js?language=fr')

    const settings = JSON.parse(/self\.SETTINGS = (.*)\n/.exec(text)?.[1] ?? '') as { files: string[]; offline: string }
    const kept = await Promise.all([...settings.files, settings.offline].map(open))
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['content-security-policy']).toBe("default-src 'none'; connect-src 'self'; frame-ancestors 'none'")
    expect(settings.files.every((file) => file.startsWith('/files/'))).toBe(true)
    expect(settings.files.some((file) => file.endsWith('/device-store.ts'))).toBe(true)
    expect(kept.map(({ status }) => status)).toEqual(kept.map(() => 200))
    expect(kept.at(-1)?.text).toContain('<html lang="fr">')
    expect(text.split('\n').length).toBeLessThanOrEqual(150)
  })

  it('has a page without a connection that is the same for every caller', async () => {
    const { text, headers } = await open('/offline')

    expect(text).toContain('data-waiting-drafts')
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(headers['set-cookie']).toBeUndefined()
  })
})

describe('POST /report/photos', () => {
  const crossSite = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }

  async function share(path: string) {
    const form = new FormData()
    form.append('photos', new File([new Uint8Array(await redImage().toBuffer())], 'red.png', { type: 'image/png' }))
    const request = new Request(`${PUBLIC_URL}${path}`, { method: 'POST', body: form })
    const headers = { ...crossSite, 'content-type': request.headers.get('content-type') ?? '', cookie: 'fixpoint_session=x' }
    return app.fastify.inject({ method: 'POST', url: path, headers, payload: Buffer.from(await request.arrayBuffer()) })
  }

  it('leads to the report without reading anything, if no worker has kept the pictures', async () => {
    const { statusCode, headers } = await share('/report/photos')

    expect([statusCode, headers['location'], headers['set-cookie']]).toEqual([303, '/report', undefined])
    expect(await app.db.prisma.issue.count()).toBe(0)
  })

  it('is the only form that another site may send', async () => {
    const statuses = [(await share('/report')).statusCode, (await share('/report/photos/x')).statusCode]

    expect(statuses).toEqual([403, 403])
  })
})
