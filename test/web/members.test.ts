import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import { formFields } from '../helpers/form-fields.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [roads, manage, path] = [0, '', '']
let [owner, clerk]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  owner = await app.create.user({ name: 'Olga Reed', memberOf: [{ organization: roads, role: 'owner' }] })
  clerk = await app.create.user({ name: 'Carl West', memberOf: [{ organization: roads }] })
  manage = `/organizations/${roads}/manage`
  path = `${manage}/members`
})

describe('the pages of members and invitations', () => {
  it('let an owner invite, give roles, withdraw and remove', async () => {
    const browser = await createLoggedInBrowser(app, owner as TestUser)
    const [member, invitations] = [`${path}/${clerk?.id}`, `${manage}/invitations`]
    const form = formFields((await browser.get(member)).text)

    const invited = await browser.post(`${invitations}/new`, { email: 'new.clerk@example.org', role: 'manager' })
    const waiting = await browser.get(invitations)
    const changed = await browser.post(member, { ...form, role: 'moderator' })
    const { id } = await app.db.prisma.pendingMembership.findFirstOrThrow()
    const list = await browser.get(path)
    const withdrawn = await browser.post(`${invitations}/${id}/remove`, {})
    const removed = await browser.post(`${member}/remove`, {})

    expect([invited, changed, withdrawn, removed].map(({ status, headers }) => `${status} ${String(headers['location'])}`)).toEqual(
      [`303 ${invitations}?done=invited`, `303 ${path}?done=saved`, `303 ${invitations}?done=removed`, `303 ${path}?done=removed`],
    )
    expect(waiting.visibleText).toContain('new.clerk@example.org Manager')
    expect(list.visibleText).toContain('Carl West Moderator')
    expect((await browser.get(path)).visibleText).not.toContain('Carl West')
    expect((await browser.get(invitations)).visibleText).not.toContain('new.clerk')
  })

  it('need a full domain for an address, as the registration, the account and a report without a login do', async () => {
    const browser = await createLoggedInBrowser(app, owner as TestUser)
    const form = { name: 'Ada Park', email: 'ada@localhost', password: 'battery staple', accept_terms: 'true' }

    const answers = [
      await browser.post(`${manage}/invitations/new`, { email: 'ada@localhost', role: 'manager' }),
      await browser.post('/account/emails', { email: 'ada@localhost' }),
      await createBrowser(app.fastify).post('/register', form),
    ]

    for (const { status, visibleText } of answers)
      expect([status, visibleText]).toEqual([422, expect.stringContaining('with a full domain, such as name@example.org')])
  })

  it('show an employee the members, and no form but the own exit', async () => {
    const browser = await createLoggedInBrowser(app, clerk as TestUser)

    const page = await browser.get(path)
    const [other, own] = [await browser.get(`${path}/${owner?.id}`), await browser.get(`${path}/${clerk?.id}`)]
    const refused = await browser.post(`${path}/${owner?.id}/remove`, {})
    const left = await browser.post(`${path}/${clerk?.id}/remove`, {})

    expect(page.visibleText).toContain('Olga Reed Owner')
    expect([...page.text.matchAll(/href="[^"]*members\/(\d+)"/g)].map(([, id]) => Number(id))).toEqual([clerk?.id])
    expect([other, own].map(({ text }) => text.match(/<form[^>]*manage/g)?.length ?? 0)).toEqual([0, 1])
    expect(refused.status).toBe(403)
    expect(`${left.status} ${String(left.headers['location'])}`).toBe('303 /account')
    expect((await browser.get('/account')).status).toBe(200)
  })

  it('hide invitations and their addresses from an employee', async () => {
    await app.db.prisma.pendingMembership.create({ data: { organization_id: roads, email: 'new.clerk@example.org' } })
    const browser = await createLoggedInBrowser(app, clerk as TestUser)

    const pages = [await browser.get(manage), await browser.get(path), await browser.get(`${manage}/invitations`)]

    expect(pages.map(({ status }) => status)).toEqual([200, 200, 403])
    // The form of the language leads back to the address of each page itself.
    for (const { text } of pages) expect(text).not.toMatch(/new\.clerk|href="[^"]*manage\/invitations/)
  })

  it('keep the form with the error at its field', async () => {
    const browser = await createLoggedInBrowser(app, owner as TestUser)

    const answer = await browser.post(`${manage}/invitations/new`, { version: '', email: 'no address', role: 'employee' })

    expect(answer.status).toBe(422)
    expect(answer.text).toContain('value="no address"')
    expect(answer.text).toContain('id="field-email-error"')
  })

  it('keep the last owner', async () => {
    const browser = await createLoggedInBrowser(app, owner as TestUser)

    const page = await browser.post(`${path}/${owner?.id}/remove`, {})

    expect(page.status).toBe(422)
    expect(page.visibleText).toContain('needs an owner')
  })
})

describe('the invitations of an account', () => {
  it('are accepted by a button, after which the account works for the organisation', async () => {
    const resident = await app.create.user({ name: 'Rita Stone' })
    const address = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: resident.id } })
    await app.db.prisma.emailAddress.update({ where: { id: address.id }, data: { confirmed_at: new Date() } })
    await app.db.prisma.pendingMembership.create({
      data: { organization_id: roads, email: address.email.toLowerCase(), role: 'manager' },
    })
    const browser = await createLoggedInBrowser(app, resident)

    const offered = await browser.get('/account/invitations')
    const action = /action="([^"]*accept)"/.exec(offered.text)?.[1] ?? ''
    const accepted = await browser.post(action, {})

    expect(offered.visibleText).toContain('Roads invites you as: Manager')
    expect(`${accepted.status} ${String(accepted.headers['location'])}`).toBe('303 /account/invitations?done=accepted')
    expect((await browser.get(path)).visibleText).toContain('Rita Stone')
  })
})
