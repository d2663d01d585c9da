import { beforeEach, describe, expect, it } from 'vitest'

import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [roads, path] = [0, '']
let [owner, clerk]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  owner = await app.create.user({ name: 'Olga Reed', memberOf: [{ organization: roads, role: 'owner' }] })
  clerk = await app.create.user({ name: 'Carl West', memberOf: [{ organization: roads }] })
  path = `/organizations/${roads}/manage/members`
})

describe('the page of members', () => {
  it('lets an owner invite, give roles, withdraw and remove', async () => {
    const browser = await createLoggedInBrowser(app, owner as TestUser)

    const invited = await browser.post(`${path}/invite`, { email: 'new.clerk@example.org', role: 'manager' })
    const waiting = await browser.get(path)
    const changed = await browser.post(`${path}/role`, { user_id: String(clerk?.id), version: 'employee', role: 'moderator' })
    const { id } = await app.db.prisma.pendingMembership.findFirstOrThrow()
    const withdrawn = await browser.post(`${path}/withdraw`, { invitation_id: String(id) })
    const removed = await browser.post(`${path}/remove`, { user_id: String(clerk?.id) })
    const last = await browser.get(path)

    expect([invited, changed, withdrawn, removed].map(({ status, headers }) => `${status} ${String(headers['location'])}`)).toEqual(
      ['invited', 'changed', 'withdrawn', 'removed'].map((done) => `303 ${path}?done=${done}`),
    )
    expect(waiting.visibleText).toContain('new.clerk@example.org Manager')
    expect(last.visibleText).not.toMatch(/Carl West|new\.clerk/)
  })

  it('shows an employee the members, and no addresses or forms but the own exit', async () => {
    await app.db.prisma.pendingMembership.create({ data: { organization_id: roads, email: 'new.clerk@example.org' } })
    const browser = await createLoggedInBrowser(app, clerk as TestUser)

    const page = await browser.get(path)
    const left = await browser.post(`${path}/remove`, { user_id: String(clerk?.id) })

    expect(page.visibleText).toContain('Olga Reed Owner')
    expect(page.visibleText).not.toContain('new.clerk@example.org')
    expect(page.text.match(/<form[^>]*manage/g)).toHaveLength(1)
    expect(`${left.status} ${String(left.headers['location'])}`).toBe('303 /work')
  })

  it('keeps the form with the error at its field', async () => {
    const browser = await createLoggedInBrowser(app, owner as TestUser)

    const answer = await browser.post(`${path}/invite`, { email: 'no address', role: 'employee' })

    expect(answer.status).toBe(422)
    expect(answer.text).toContain('value="no address"')
    expect(answer.text).toContain('id="field-email-error"')
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
