import type { Language } from '../../../src/locales/texts.ts'
import { sql } from '../../../src/database/database.ts'
import { hashToken, newSecret } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { closingToken, findUnsubscribeKey, type Subscription, unsubscribeToken } from '../../../src/mail/unsubscribe-token.ts'
import { recordEvent } from '../../../src/outbox/queries.ts'
import { createBrowser, type Browser } from '../../helpers/browser.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import type { TestApp } from '../../helpers/use-app.ts'
import { createImage } from '../../media/stored-images.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'

export const PASSWORD = 'correct horse'

/** Creates rows whose texts have no Latin letters, except for refused words, and browsers that chose the language. */
export async function createLanguageScenario(app: TestApp, language: Language) {
  const moderation = createModerationScenario(app)
  const { id: place } = await app.create.place({ name: 'Πόλις', url_name: 'xyz' })
  await app.db.execute(sql`UPDATE places SET county = 'Νομός', state = 'Ελλάδα'`)
  const password_hash = await hashPassword(PASSWORD)
  const [ada, ben] = [
    await app.create.user({ name: 'Άδα Πάρκου', locale: language, password_hash }),
    await app.create.user({ name: 'Βασίλης Λίθος', locale: language }),
  ]
  const [mia, admin] = [await moderation.moderator('Μία Λόφου'), await app.create.user({ name: 'Ρούλα Ρίζα', role: 'Admin' })]
  const issue = await app.create.issue({ summary: 'Λάκκος', reporter: ada, locale: language })
  const pictures = [(await createImage(app, { issue_id: issue })).key, (await createImage(app, { issue_id: issue })).key] as const

  await app.create.issue({ summary: 'Κλαδί', reporter: ada, anonymous: true, moderation_state: 'held' })
  await app.create.issue({ summary: 'Πάγκος', reporter: ada, moderation_state: 'rejected' })
  await app.create.follow({ on: issue, by: ada })

  const open = await app.create.question({ place, by: ada, question: 'Πού;' })
  const answer = await app.create.answer({ on: open, by: ben, answer: 'Εκεί.' })
  await app.create.answer({ on: open, answer: 'Εδώ.', accepted_at: '2026-01-05' })
  await app.create.answer({ on: open, by: ada, answer: 'Κάτω.', moderation_state: 'held' })
  const lonely = await app.create.question({ place, by: ben, question: 'Πότε;' })
  const pending = await app.create.question({ place, by: ada, question: 'Ποιος;', moderation_state: 'held' })
  const rejected = await app.create.question({ place, by: ada, question: 'Γιατί;', moderation_state: 'rejected' })

  const commentItem = await moderation.findOpenItem('comment', await moderation.createPendingComment(ben, issue, { move: 'close' }))
  const reportItem = await moderation.findOpenItem('issue', await moderation.createPendingReport(ben))
  const answerItem = await moderation.findOpenItem('answer', await moderation.createPendingAnswer(ben, lonely, 'Asshole'))
  const flaggedItem = (await moderation.flagged('issue', issue, { summary: 'Παλιός λάκκος' })) ?? 0

  const userItem = (await moderation.flagged('user', ben.id, { name: 'Παλιό όνομα' })) ?? 0
  await app.db.execute(sql`UPDATE organizations SET name = 'Υπηρεσία ' || id`)
  const organization = await app.db.prisma.organization.findFirstOrThrow()

  async function browse(user?: TestUser): Promise<Browser> {
    const browser = user ? await createLoggedInBrowser(app, user) : createBrowser(app.fastify)
    browser.jar.set('language', language)
    return browser
  }

  /** Creates the token of a mail to a new address of Ada. */
  async function mailToken(
    purpose: 'confirm_email' | 'revert_email_change' | 'reset_password' | 'erase_account',
    change?: string,
  ): Promise<string> {
    const secret = newSecret()
    const confirmed_at = purpose === 'reset_password' || purpose === 'erase_account' ? new Date('2020-01-01') : null
    const removed = change === 'user.email_removed' ? { removed_at: new Date(), removed_confirmed_at: new Date('2020-01-01') } : {}
    const data = { user_id: ada.id, email: `${newSecret().slice(0, 8)}@example.org`, confirmed_at, ...removed }
    const { id: email_address_id } = await app.db.prisma.emailAddress.create({ data })
    const event = { type: change as 'user.email_added', subject_id: ada.id, actor_id: ada.id, payload: { email_address_id } }
    const events =
      change === undefined
        ? []
        : await app.db.transaction(async (tx) => {
            await recordEvent(tx, event)
            return tx.deliveries
          })
    const event_id = events[0] ? { event_id: BigInt(events[0].event_id) } : {}
    const token = { purpose, user_id: ada.id, email_address_id, token_hash: hashToken(secret), ...event_id }
    await app.db.prisma.oneTimeToken.create({ data: { ...token, expires_at: new Date(Date.now() + 3_600_000) } })
    return secret
  }

  /** The link of a mail about an issue that staff have closed. */
  const closing = async () => {
    const closed = await app.create.issue({ status: 'Closed', reporter: ada, summary: 'Λάκκος', locale: language })
    const change = { issue_id: closed, from_status: 'Open', to_status: 'Closed', outcome: 'fixed' } as const
    const { id } = await app.db.prisma.statusChange.create({ data: change })
    return closingToken(await findUnsubscribeKey(app.db), { user_id: ada.id, status_change_id: id })
  }
  const unsubscribe = async (of: Subscription) => unsubscribeToken(await findUnsubscribeKey(app.db), of)
  const browsers = {
    anonymous: await browse(),
    ada: await browse(ada),
    ben: await browse(ben),
    mia: await browse(mia),
    admin: await browse(admin),
  }
  await app.create.watchArea({ of: ada })
  await browsers.ada.post('/watch', { place_url: 'xyz', frequency: 'weekly', about: 'new' })
  const circle = { lat: String(GREEN.lat), lng: String(GREEN.lng), radius: '1500' }
  await browsers.ada.post('/watch', { ...circle, frequency: 'daily', about: 'all' })

  await app.db.prisma.watchArea.updateMany({ data: { locale: language } })
  await app.db.prisma.question.updateMany({ data: { locale: language } })

  return {
    app,
    ada,
    issue,
    questions: { open, lonely, pending, rejected },
    answer,
    organization: organization.id,
    pictures,
    items: { commentItem, reportItem, answerItem, flaggedItem, userItem },
    browsers,
    mailToken,
    unsubscribe,
    closing,
  }
}

export type LanguageScenario = Awaited<ReturnType<typeof createLanguageScenario>>
