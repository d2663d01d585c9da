import { beforeEach, describe, expect, it } from 'vitest'

import { sweep } from '../jobs/sweep.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import type { OutgoingMail, SendResult } from '../../src/mail/mailer.ts'
import { createPersonaRows, mapPersonas, type PersonaRows, personas } from '../contract/personas/persona-rows.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createTemporaryFileStore } from '../jobs/files.ts'
import { silentLog } from '../jobs/log.ts'
import { sendPendingMails } from '../notifications/mail-worker.ts'
import { createMailbox } from '../notifications/notifier.ts'
import { V2 } from './reader.ts'
import { createWriter, hole } from './writer.ts'

const app = useApp()
const { post } = createWriter(() => app.as.anonymous)

/** Another app, whose counts of mails by client are new. */
async function mailService() {
  const { anonymous } = await appOn(app.db)
  const writer = createWriter(() => anonymous)
  return { report: (more: Record<string, string> = {}) => writer.post('/requests.json', { ...fields, ...more }) }
}

const contact = {
  ...{ email: 'grace.hopper@example.net', phone: '+1 203 555 0199', first_name: 'Grace Brewster', last_name: 'Hopper-Murray' },
  ...{ account_id: 'account-20471', address_id: 'parcel-99120', device_id: 'device-5f2c91' },
}
const shown = [
  { question: 'First name', answer: contact.first_name },
  { question: 'Last name', answer: contact.last_name },
  { question: 'E-mail', answer: contact.email },
  { question: 'Phone', answer: contact.phone },
  { question: 'Account at the sender', answer: contact.account_id },
  { question: 'Address id', answer: contact.address_id },
]

let rows: PersonaRows
let fields: Record<string, string>
beforeEach(async () => {
  rows = await createPersonaRows(app)
  await app.db.prisma.organization.updateMany({ data: { guest_reports: true } })
  fields = { ...hole, service_code: String(rows.type), ...contact }
})

const clientOf = (persona: (typeof personas)[number]) =>
  persona === 'anonymous' ? app.as.anonymous : app.as.user(rows.people[persona])
const idOf = (body: unknown) => Number((body as [{ service_request_id: string }])[0].service_request_id)
const report = async (more: Record<string, string> = {}) => idOf((await post('/requests.json', { ...fields, ...more })).body)

/** Runs the deliveries of confirmations and returns what was sent. */
async function receive(answer?: () => SendResult): Promise<OutgoingMail[]> {
  const { mailer, sent } = createMailbox(answer)
  const services: JobServices = {
    ...{ db: app.db, mailer, log: silentLog, files: createTemporaryFileStore() },
    urls: urlsFrom(() => PUBLIC_URL),
    endpoints: app.services.endpoints,
    clock: () => new Date(),
    queue: { enqueue: () => Promise.resolve('') },
  }
  await sendPendingMails(services)
  return sent
}

describe('contact data', () => {
  it('is in the details for the staff of the organisation only', async () => {
    const id = await report()

    const seen: Record<string, unknown> = {}
    for (const persona of personas) {
      const { body } = await clientOf(persona).get(`/issues/${id}?details=true`)
      seen[persona] = (body as { questions: unknown }).questions
    }

    expect(seen).toEqual(mapPersonas((persona) => (['employee', 'admin'].includes(persona) ? shown : [])))
  })

  it('is on the page of the issue for the staff of the organisation only', async () => {
    const id = await report()

    const [employee, other] = [
      await createLoggedInBrowser(app, rows.people.employee),
      await createLoggedInBrowser(app, rows.people.other),
    ]

    const [own, foreign] = [await employee.get(`/issues/${id}`), await other.get(`/issues/${id}`)]
    expect(own.visibleText).toContain(`E-mail ${contact.email}`)
    expect(foreign.visibleText).not.toContain('E-mail')
  })

  // `createClient` searches every response for private answers (test/contract/leak-markers.ts).
  it('is in no other response', async () => {
    const id = await report()
    const paths = [
      ...[
        `${V2}/requests/${id}.json?extensions=true`,
        `${V2}/requests/${id}.xml?extensions=true`,
        `${V2}/requests.json?extensions=true`,
      ],
      ...[
        `${V2}/servicerequestupdates.json`,
        `/feeds/issues.geojson`,
        `/feeds/issues.atom`,
        '/exports/issues.csv',
        `/issues/${id}`,
      ],
    ]

    const texts = []
    for (const path of paths) texts.push((await app.as.anonymous.send('GET', path)).text)

    for (const value of Object.values(contact)) expect(texts.join('\n')).not.toContain(value)
    expect(texts.join('\n')).toContain('Deep hole')
  })

  it('is deleted after ninety days; the report and its other answers stay', async () => {
    const [old, recent] = [await report(), await report({ description: 'Other hole' })]
    const days = (count: number) => new Date(Date.now() - count * 86_400_000)
    await app.db.prisma.issue.update({ where: { id: old }, data: { created_at: days(90) } })
    await app.db.prisma.issue.update({ where: { id: recent }, data: { created_at: days(89) } })

    await sweep('clear-device-fields', { db: app.db, clock: () => new Date() })

    const left = async (id: number) =>
      (await app.db.prisma.issueAnswer.findMany({ where: { issue_id: id } })).map(({ question }) => question)
    expect(await left(old)).toEqual(['Address id'])
    expect(await left(recent)).toHaveLength(6)
    expect(await app.db.prisma.issue.findUnique({ where: { id: old } })).toMatchObject({ device_id: null, summary: 'Deep hole' })
  })
})

describe('the e-mail address of a report', () => {
  it('never attributes the report to its account, and the response is the same for any address', async () => {
    const { owner } = rows.people

    const known = await post('/requests.json', { ...fields, email: owner.email })
    const unknown = await post('/requests.json', { ...fields, email: 'unknown@example.net', description: 'Other' })

    expect([known.status, unknown.status]).toEqual([200, 200])
    const reports = await app.db.prisma.issue.findMany({ where: { summary: { in: ['Deep hole', 'Other'] } } })
    expect(reports.map(({ reporter_id }) => reporter_id)).toEqual([null, null])
    expect(Object.keys(known.headers)).toEqual(Object.keys(unknown.headers))
  })

  it('gets one confirmation, without texts of the report, and is deleted then', async () => {
    const { report } = await mailService()
    const id = idOf((await report()).body)

    const [mail, ...others] = await receive()
    const later = await receive()

    expect([others, later]).toEqual([[], []])
    expect(mail).toMatchObject({ to: contact.email, subject: 'Your report has arrived' })
    expect(mail?.text).toContain(`${PUBLIC_URL}/issues/${id}`)
    expect(mail?.text).not.toContain('Deep hole')
    expect(mail?.headers?.['List-Unsubscribe']).toContain(PUBLIC_URL)
    expect(await app.db.prisma.mail.findMany({ select: { email: true } })).toEqual([{ email: null }])
  })

  it('gets no link to a report that waits for approval', async () => {
    await app.db.prisma.organization.updateMany({ data: { hold_everything: true } })
    const { anonymous } = await appOn(app.db)
    const headers = { 'accept-language': 'es' }
    await createWriter(() => anonymous).post('/requests.json', fields, { headers })

    const [mail] = await receive()

    expect(mail?.subject).toBe('Tu reporte ha llegado')
    expect(mail?.text).not.toContain('/issues/')
  })

  it('gets at most three confirmations a day; the reports arrive', async () => {
    const { report } = await mailService()
    for (let n = 0; n < 4; n++) await report({ description: `Hole ${n}` })
    const toOne = await receive()
    for (let n = 4; n < 12; n++) await report({ description: `Hole ${n}`, email: `person${n}@example.net` })
    const toOthers = await receive()

    expect([toOne.length, toOthers.length]).toEqual([3, 8])
    expect(await app.db.prisma.issue.count({ where: { summary: { startsWith: 'Hole' } } })).toBe(12)
  })

  it('is tried again if the mail server defers it, and gets nothing after a refusal of such mails', async () => {
    const { report } = await mailService()
    await report()
    await receive(() => ({ outcome: 'deferred', reply: '451 Later' }))
    const [mail] = await receive()
    const link = /\n(http\S*unsubscribe\S*)/.exec(mail?.text ?? '')?.[1] ?? ''
    const oneClick = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'List-Unsubscribe=One-Click' }
    await app.as.anonymous.send('POST', link.replace(PUBLIC_URL, ''), oneClick)

    await report({ description: 'Other hole' })

    expect(mail?.to).toBe(contact.email)
    expect(await receive()).toEqual([])
  })
})
