import { languageOf } from '../../../src/locales/texts.ts'
import { createBrowser, type PageResponse } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import type { TestApp } from '../../helpers/use-app.ts'
import type { AccountPage } from './account-page.ts'
import { type LanguageScenario, PASSWORD } from './scenario.ts'

/** These pages are opened without a chosen language, so that the locale of the account decides. */
export const mailPages: readonly AccountPage[] = [
  ['an open confirmation', async ({ app, mailToken }) => open(app, `/emails/confirm?token=${await mailToken('confirm_email')}`)],
  [
    'a confirmation with a wrong password',
    async ({ app, mailToken }) => open(app, '/emails/confirm', { token: await mailToken('confirm_email'), password: 'x' }),
  ],
  [
    'a confirmed address',
    async ({ app, mailToken }) => open(app, '/emails/confirm', { token: await mailToken('confirm_email'), password: PASSWORD }),
  ],
  [
    'an open confirmation of an account with a draft',
    async (scenario) => {
      await createDraft(scenario)
      return open(scenario.app, `/emails/confirm?token=${await scenario.mailToken('confirm_email')}`)
    },
  ],
  ...['true', 'false'].map((publish): AccountPage => [
    `a confirmed address, and a report that is published: ${publish}`,
    async (scenario) => {
      await createDraft(scenario)
      const token = await scenario.mailToken('confirm_email')
      return open(scenario.app, '/emails/confirm', { token, password: PASSWORD, publish })
    },
  ]),
  ['an account to delete', async ({ app, mailToken }) => open(app, `/erasure?token=${await mailToken('erase_account')}`)],
  ...(['user.email_added', 'user.email_confirmed', 'user.email_removed'] as const).flatMap((change): AccountPage[] => [
    [
      `${change} to undo`,
      async ({ app, mailToken }) => open(app, `/emails/revert?token=${await mailToken('revert_email_change', change)}`),
    ],
    [
      `${change} undone`,
      async ({ app, mailToken }) => open(app, '/emails/revert', { token: await mailToken('revert_email_change', change) }),
    ],
  ]),
  ...['issue', 'question', 'watch', 'all', 'draft'].flatMap((kind): AccountPage[] => [
    [
      `mails about ${kind}`,
      async (scenario) => open(scenario.app, `/unsubscribe?token=${await unsubscribeTokenOf(scenario, kind)}`),
    ],
    [
      `no mails about ${kind}`,
      async (scenario) =>
        open(scenario.app, '/unsubscribe', { token: await unsubscribeTokenOf(scenario, kind), do: `stop-${kind}` }),
    ],
  ]),
  ...['yes', 'no'].flatMap((fixed): AccountPage[] => [
    [`closed and fixed: ${fixed}`, async ({ app, closing }) => open(app, `/closings?token=${await closing()}&fixed=${fixed}`)],
    [`answered: ${fixed}`, async ({ app, closing }) => open(app, '/closings', { token: await closing(), fixed, comment: '37' })],
  ]),
]

function open(app: TestApp, path: string, fields?: Record<string, string>): Promise<PageResponse> {
  const browser = createBrowser(app.fastify)
  return fields ? browser.post(path, fields) : browser.get(path)
}

async function languageOfUser(app: TestApp, id: number) {
  const { locale } = await app.db.prisma.user.findUniqueOrThrow({ where: { id }, select: { locale: true } })
  return languageOf(locale)
}

async function unsubscribeTokenOf({ app, ada, issue, questions, unsubscribe }: LanguageScenario, kind: string): Promise<string> {
  const user_id = ada.id
  if (kind === 'issue') return unsubscribe({ kind, user_id, issue_id: issue })
  if (kind === 'question') return unsubscribe({ kind, user_id, question_id: questions.open })
  if (kind === 'all') return unsubscribe({ kind, user_id })
  if (kind === 'draft') return unsubscribe({ kind, locale: await languageOfUser(app, user_id), address_hash: 'x'.repeat(16) })
  const area = await app.db.prisma.watchArea.findFirstOrThrow({ where: { user_id }, select: { id: true } })
  return unsubscribe({ kind: 'watch', user_id, watch_area_id: area.id })
}

/** Creates a draft that Ada's account has claimed. */
async function createDraft({ app, ada }: LanguageScenario): Promise<void> {
  const point = { lat: String(GREEN.lat), lng: String(GREEN.lng) }
  const form_values = { ...point, request_type_id: 'other', address: 'Οδός', answers: { summary: 'Λάκκος' } }
  const expires_at = new Date(Date.now() + 86_400_000)
  await app.db.prisma.reportDraft.create({ data: { secret_hash: crypto.randomUUID(), user_id: ada.id, form_values, expires_at } })
}
