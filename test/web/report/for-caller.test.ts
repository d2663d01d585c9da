import { beforeEach, describe, expect, it } from 'vitest'

import { type Browser, formKeyIn } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let roads: number
let pothole: number
let clerk: Browser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  pothole = await app.create.requestType({ organization: roads, title: 'Pothole' })
  clerk = await createLoggedInBrowser(app, await app.create.user({ name: 'Carl West', memberOf: [{ organization: roads }] }))
})

const CALLER = { channel: 'phone', name: 'Rosa Diaz', email: 'rosa.diaz@example.org', phone: '', language: 'es', consent: 'true' }
const formPath = () => `/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=${pothole}`
async function report(caller: Partial<typeof CALLER>, browser = clerk) {
  const form_key = formKeyIn(await browser.get(formPath()))
  return browser.post('/report', {
    ...{ form_key, lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: String(pothole), address: 'Elm Street' },
    'answers[summary]': 'Deep hole',
    ...Object.fromEntries(Object.entries(caller).map(([name, value]) => [`on_behalf[${name}]`, value])),
  })
}

describe('the report form of an employee', () => {
  it('reports for a caller, and says the number to tell', async () => {
    const sent = await report(CALLER)
    const { id, ...issue } = await app.db.prisma.issue.findFirstOrThrow()
    const page = await clerk.get(String(sent.headers['location']))

    expect([sent.status, sent.headers['location']]).toEqual([303, `/work?done=reported&count=${id}`])
    expect(issue).toMatchObject({ reporter_id: null, source: 'phone', locale: 'es' })
    expect(await app.db.prisma.issueLog.findFirstOrThrow()).toMatchObject({ kind: 'report', source: 'web' })
    expect(page.visibleText).toContain(`The report has the number #${id} . Tell the caller this number`)
    // The caller speaks Spanish; staff read the names of the fields in their own language.
    expect((await clerk.get(`/issues/${id}`)).visibleText).toMatch(/Name.{0,60}Rosa Diaz/)
    expect((await clerk.get(formPath())).visibleText).toContain('Gets a mail with the number of the report')
  })

  it('reports for the employee without data of a caller', async () => {
    const sent = await report({ channel: '', name: '', email: '', phone: '', language: 'en' })

    expect(sent.headers['location']).toMatch(/^\/issues\/\d+\?reported=now$/)
    expect((await app.db.prisma.issue.findFirstOrThrow()).reporter_id).not.toBeNull()
  })

  it('asks for the channel and the consent, and keeps what was written', async () => {
    const sent = await report({ name: 'Rosa Diaz', email: 'x', language: 'es' })

    expect([sent.status, await app.db.prisma.issue.count()]).toEqual([422, 0])
    for (const name of ['channel', 'email', 'consent']) expect(sent.text).toContain(`id="field-on_behalf-${name}--error"`)
    expect(sent.text).toMatch(/name="on_behalf\[name\]"[^>]* value="Rosa Diaz"/)
  })

  it('is refused for types of another organisation, and has no such fields for residents', async () => {
    const resident = await createLoggedInBrowser(app, await app.create.user())
    const parks = await app.create.organization({ name: 'Parks' })
    const elsewhere = await createLoggedInBrowser(app, await app.create.user({ memberOf: [{ organization: parks }] }))

    const [refused, forged] = [await report(CALLER, elsewhere), await report(CALLER, resident)]

    expect([refused.status, forged.status, await app.db.prisma.issue.count()]).toEqual([422, 422, 0])
    expect(refused.visibleText).toContain('Is possible only for a type or a place of your organisation.')
    expect((await resident.get(formPath())).text).not.toContain('on_behalf')
    expect((await clerk.get('/work')).visibleText).toContain('Report for a caller')
  })
})
