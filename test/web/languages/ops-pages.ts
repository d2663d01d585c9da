import type { PageResponse } from '../../helpers/browser.ts'
import { type AccountPage, get } from './account-page.ts'
import type { LanguageScenario } from './scenario.ts'

/** The board of the operators. */
export const opsPages: readonly AccountPage[] = [
  get('admin', '/ops'),
  ...['retry', 'pause', 'resume', 'drain'].map((action) => get('admin', `/ops/queue/media/${action}`)),
  get('admin', '/ops/dead-letters'),
  ['dead letters', loadDeadLetters],
  ...(['event', 'mail', 'request'] as const).map((kind): AccountPage => [
    `/ops/trace of a ${kind}`,
    (scenario) => loadTrace(scenario, kind),
  ]),
]

async function loadTrace({ app, browsers, ada }: LanguageScenario, kind: 'event' | 'mail' | 'request'): Promise<PageResponse> {
  const request_id = '1234567890123456'
  const event = { type: 'user.password_changed', subject_type: 'user', subject_id: ada.id, request_id }
  const { id } = await app.db.prisma.event.create({ data: event })
  await app.db.prisma.outboxDelivery.create({ data: { event_id: id, handler: 'notify', due_at: new Date() } })
  const address = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: ada.id } })
  const { message_id } = await app.db.prisma.mail.create({ data: { kind: 'account', event_id: id, email_address_id: address.id } })
  return browsers.admin.get(`/ops/trace/${{ event: String(id), mail: message_id, request: request_id }[kind]}`)
}

async function loadDeadLetters({ app, browsers, ada }: LanguageScenario): Promise<PageResponse> {
  const { id } = await app.db.prisma.event.create({
    data: { type: 'user.password_changed', subject_type: 'user', subject_id: ada.id },
  })
  const delivery = { event_id: id, due_at: new Date(), dead_at: new Date() }
  await app.db.prisma.outboxDelivery.create({ data: { ...delivery, handler: 'notify' } })
  return browsers.admin.get('/ops/dead-letters')
}
