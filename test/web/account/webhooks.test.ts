import { expect, it } from 'vitest'

import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const url = 'https://example.org/hook'

it.each([
  ['a filter of downloads', { url, query: 'organization_id=3', 'kinds[]': 'created' }, 'field-query', 'List'],
  ['no kind of changes', { url, query: '' }, 'field-kinds-', 'Send'],
])('/account/webhooks says which field is wrong: %s', async (_, values, field, label) => {
  const browser = await createLoggedInBrowser(app, await app.create.user())

  const { status, text } = await browser.post('/account/webhooks', values)

  const links = [...text.matchAll(/<li[^>]*><a href="#([^"]*)"><b>([^<]*)<\/b>/g)].map(([, id, name]) => [id, name])
  expect([status, links]).toEqual([422, [[field, label]]])
  expect(text).toContain(`id="${field}"`)
})

it('/account/webhooks names each parameter of the list that has no effect, and refuses a password in the address', async () => {
  const browser = await createLoggedInBrowser(app, await app.create.user())

  const point = await browser.post('/account/webhooks', { url, query: 'lat=1&lng=2', 'kinds[]': 'created' })
  const password = await browser.post('/account/webhooks', { url: 'https://user:word@example.org', 'kinds[]': 'created' })

  const effect = 'has no effect: give one form of an area only, and a point with zoom or radius'
  expect([point.status, point.visibleText]).toEqual([
    422,
    expect.stringMatching(new RegExp(`“lat”: ${effect}.*“lng”: ${effect}`, 'is')),
  ])
  expect([password.status, password.visibleText]).toEqual([422, expect.stringContaining('no user name and no password') as string])
  expect(await app.db.prisma.webhook.count()).toBe(0)
})

it.each([
  ['a new webhook', () => '/account/webhooks', 2],
  ['a new secret', (id: number) => `/account/webhooks/${id}/secret`, 1],
])('/account/webhooks shows the secret of %s once, and no reload sends the form again', async (_, toPath, count) => {
  const owner = await app.create.user()
  const data = { user_id: owner.id, url, query: '', kinds: ['gone'], signature: 'v1', secret: `whsec_${'A'.repeat(44)}` }
  const { id } = await app.db.prisma.webhook.create({ data })
  const browser = await createLoggedInBrowser(app, owner)
  const other = await createLoggedInBrowser(app, owner)

  const { status, headers } = await browser.post(toPath(id), { url, query: '', 'kinds[]': 'created' })
  const address = String(headers['location'])
  const elsewhere = await other.get(address)
  const first = await browser.get(address)
  const again = await browser.get(address)

  const { secret } = await app.db.prisma.webhook.findUniqueOrThrow({ where: { id: Number(address.split('/').at(-1)) } })
  expect([status, secret]).toEqual([303, expect.not.stringContaining('AAAA')])
  expect([first, again, elsewhere].map(({ text }) => text.includes(secret))).toEqual([true, false, false])
  expect([first.headers['cache-control'], String(headers['set-cookie'])]).toEqual([
    'private, no-store',
    expect.not.stringContaining(secret.slice(6)),
  ])
  expect(await app.db.prisma.webhook.count()).toBe(count)
})
