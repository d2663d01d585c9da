import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Texts } from '../../locales/texts.ts'
import type { Transaction } from '../../database/database.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { problems } from '../../errors/problems.ts'
import {
  findSubscription,
  muteIssue,
  removeInbox,
  setDailyMail,
  setIssueMails,
  setQuestionMute,
  setDraftMailOptOut,
  setEmailAddressOptOut,
  type SubscriptionState,
  unmuteIssue,
} from '../../notifications/unsubscribe-queries.ts'
import { findUnsubscribeKey, readUnsubscribeToken, type Subscription } from '../../mail/unsubscribe-token.ts'
import type { Services } from '../../services.ts'
import { resumeWatchNotifications, stopWatchNotifications } from '../../watch-areas/queries.ts'
import { actionForm, readText, toFormValues } from '../../html/form.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, narrowPage, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'
import { mailPageTexts } from './mail-page-texts.ts'

interface OpenedLink {
  readonly token: string
  readonly of: Subscription
  readonly state: SubscriptionState
}

const topics = ['issue', 'question', 'watch', 'work', 'all', 'address', 'inbox', 'draft'] as const
type Topic = (typeof topics)[number]
const actions = topics.flatMap((what) => [`stop-${what}`, `undo-${what}`] as const)
type Action = (typeof actions)[number]

/**
 * The page behind unsubscribe links. GET changes nothing, because virus scanners open every link. A POST without a button is
 * the one-click unsubscribe of mail programs (RFC 8058). It has no session and no origin; the token authorizes it.
 */
export const unsubscribePages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  app.addHook('onSend', preventUrlLeaks)
  app.addHook('onSend', async (_request, reply) => void reply.header('x-robots-tag', 'noindex'))

  app.get('/unsubscribe', async (request, reply) => sendUnsubscribePage(request, reply, await openLink(request)))

  app.post('/unsubscribe', { config: { hasMailToken: true } }, async (request, reply) => {
    const opened = await openLink(request)
    const pressed = readText(toFormValues(request.body), 'do')
    const action = pressed === '' ? oneClickAction(opened) : actions.find((action) => action === pressed)
    if (!action) return sendUnsubscribePage(request, reply.code(422), opened)
    const [step, topic] = action.split('-') as ['stop' | 'undo', Topic]
    await db.transaction(async (tx) => changes[topic](tx, opened, step === 'stop', clock()))
    return sendUnsubscribePage(request, reply, await openLink(request))
  })

  /** @throws Problem 404 if the token is invalid or its account is deleted */
  async function openLink(request: FastifyRequest): Promise<OpenedLink> {
    const token = readText(toFormValues(request.query), 'token') || readText(toFormValues(request.body), 'token')
    const of = readUnsubscribeToken(await findUnsubscribeKey(db), token)
    const state = of && (await findSubscription(db, of))
    if (!of || !state) throw problems.notFound('this_address')
    return { token, of, state }
  }

  function sendUnsubscribePage(request: FastifyRequest, reply: FastifyReply, opened: OpenedLink) {
    const texts = mailPageTexts(request, opened.state.locale)
    return sendPrivatePage(request, reply, urls, unsubscribePage(opened, texts, createLinks(urls)))
  }
}

/** One-click stops what the List-Unsubscribe header of the mail was about. */
const oneClickAction = ({ of }: OpenedLink): Action => `stop-${of.kind}`

type Change = (tx: Transaction, opened: OpenedLink, stops: boolean, now: Date) => Promise<unknown> | undefined

/** The change that stops a topic, or starts it again. A link without the id of a topic changes nothing. */
const changes: Readonly<Record<Topic, Change>> = {
  issue: (tx, { state: { user_id, issue_id } }, stops, now) => {
    if (user_id === null || issue_id === null) return undefined
    return stops ? muteIssue(tx, { user_id, issue_id }) : unmuteIssue(tx, { user_id, issue_id }, now)
  },
  question: (tx, { state: { user_id, question_id } }, stops) =>
    user_id === null || question_id === null ? undefined : setQuestionMute(tx, { user_id, question_id }, stops),
  watch: (tx, { state: { user_id, watch_area_id } }, stops, now) => {
    if (user_id === null || watch_area_id === null) return undefined
    return stops
      ? stopWatchNotifications(tx, { user_id, watch_area_id })
      : resumeWatchNotifications(tx, { user_id, watch_area_id }, now)
  },
  work: (tx, { of }, stops) =>
    of.kind === 'work' ? setDailyMail(tx, { user_id: of.user_id, organization_id: of.organization_id }, !stops) : undefined,
  // The link has only a hash of the address, so only the organisation can enter it again.
  inbox: (tx, { of }, stops) => (of.kind === 'inbox' && stops ? removeInbox(tx, of) : undefined),
  all: (tx, { state: { user_id } }, stops) => (user_id === null ? undefined : setIssueMails(tx, user_id, !stops)),
  address: async (tx, { of, state: { user_id } }, stops) => {
    if (of.kind !== 'address') return
    await setEmailAddressOptOut(tx, of.address_hash, stops)
    if (user_id !== null) await setIssueMails(tx, user_id, !stops)
  },
  draft: (tx, { of }, stops) => (of.kind === 'draft' ? setDraftMailOptOut(tx, of.address_hash, stops) : undefined),
}

function unsubscribePage({ token, of, state }: OpenedLink, texts: Texts, { to }: Links): HtmlPage {
  const button = (action: Action, text: string) =>
    actionForm({ action: to('/unsubscribe'), hidden: { token, do: action }, button: text, kind: '' })
  const choice = (what: Topic, isStopped: boolean, stop: string, stopped: string): SafeHtml =>
    isStopped
      ? html`<p class="done" role="status">${stopped}</p>${button(`undo-${what}`, texts('unsubscribe.undo'))}`
      : button(`stop-${what}`, stop)
  const { issue_id, question_id, watch_area_id, summary, is_muted, is_opted_out, issue_mails } = state
  const isWithoutAccount = ['address', 'inbox', 'draft'].includes(of.kind)
  const aboutOrganization = html`<p>${texts('unsubscribe.aboutOrganization', { name: summary ?? '' })}</p>`
  return narrowPage({
    ...pageTitles(texts, 'unsubscribe.title', 'unsubscribe.description'),
    body: html`${issue_id === null ? '' : html`<p>${summary === null ? texts('unsubscribe.aboutIssue') : texts('unsubscribe.about', { summary })}</p>${choice('issue', is_muted, texts('unsubscribe.stopIssue'), texts('unsubscribe.stoppedIssue'))}`}
      ${question_id === null ? '' : html`<p>${summary === null ? texts('unsubscribe.aboutQuestion') : texts('unsubscribe.about', { summary })}</p>${choice('question', is_muted, texts('unsubscribe.stopQuestion'), texts('unsubscribe.stoppedQuestion'))}`}
      ${watch_area_id === null ? '' : html`<p>${summary === null ? texts('unsubscribe.aboutUnnamedArea') : texts('unsubscribe.aboutArea', { name: summary })}</p>${choice('watch', is_muted, texts('unsubscribe.stopArea'), texts('unsubscribe.stoppedArea'))}`}
      ${of.kind === 'work' ? html`${aboutOrganization}${choice('work', is_muted, texts('unsubscribe.stopWork'), texts('unsubscribe.stoppedWork'))}` : ''}
      ${
        of.kind === 'address'
          ? html`<p>${texts('unsubscribe.address')}</p>${choice('address', is_opted_out, texts('unsubscribe.stopAddress'), texts('unsubscribe.stoppedAddress'))}`
          : of.kind === 'inbox'
            ? html`${aboutOrganization}${is_muted ? html`<p class="done" role="status">${texts('unsubscribe.stoppedInbox')}</p>` : button('stop-inbox', texts('unsubscribe.stopInbox'))}`
            : of.kind === 'draft'
              ? html`<p>${texts('draftUnsubscribe.about')}</p>${choice('draft', is_opted_out, texts('draftUnsubscribe.stop'), texts('draftUnsubscribe.stopped'))}`
              : choice('all', issue_mails === false, texts('unsubscribe.stopAll'), texts('unsubscribe.stoppedAll'))
      }
      ${isWithoutAccount ? '' : html`<p class="quiet">${texts('unsubscribe.account')} <a href="${to('/account')}">${texts('unsubscribe.settings')}</a></p>`}`,
  })
}
