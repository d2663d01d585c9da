import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Transaction } from '../../database/database.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { PendingDelivery } from '../../outbox/queries.ts'
import { preferredLocale as languageOfRequest } from '../../http/request/locale.ts'
import { problems } from '../../errors/problems.ts'
import { languageOf } from '../../errors/texts/languages.ts'
import {
  findSubscription,
  muteIssue,
  setIssueMails,
  setQuestionMute,
  setAddressOptOut,
  type SubscriptionState,
  unmuteIssue,
} from '../../notifications/unsubscribe-queries.ts'
import { findUnsubscribeKey, readUnsubscribeToken, type Subscription } from '../../mail/unsubscribe-token.ts'
import type { Services } from '../../services.ts'
import { resumeWatchMails, stopWatchMails } from '../../watch-areas/unsubscribe-queries.ts'
import { hiddenField } from '../../html/fields.ts'
import { readText, toFormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type Page, sendPrivatePage } from '../../html/page.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'
import { unsubscribeWords } from './unsubscribe-words.ts'

interface Opened {
  readonly token: string
  readonly of: Subscription
  readonly state: SubscriptionState
}

/** What the buttons of the page say, in the field `do`. */
const whats = ['issue', 'question', 'watch', 'all', 'address'] as const
type What = (typeof whats)[number]
const deeds = whats.flatMap((what) => [`stop-${what}`, `undo-${what}`] as const)
type Deed = (typeof deeds)[number]

/**
 * Behind the link that ends mails. To open it changes nothing, since programs that look for viruses open every link. A POST without a
 * button is the one click of a mail program (RFC 8058), which has neither a login nor a page that it comes from: the token is all it needs.
 */
export const unsubscribePages: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { db, urls, clock, dispatchDeliveries: dispatchDeliveries },
) => {
  app.addHook('onSend', preventUrlLeaks)
  app.addHook('onSend', async (_request, reply) => void reply.header('x-robots-tag', 'noindex'))

  app.get('/unsubscribe', async (request, reply) => show(request, reply, await open(request)))

  app.post('/unsubscribe', { config: { bringsToken: true } }, async (request, reply) => {
    const opened = await open(request)
    const asked = readText(toFormValues(request.body), 'do')
    const wanted = asked === '' ? oneClick(opened) : deeds.find((deed) => deed === asked)
    // A button that this page does not have: nothing is done, and the page shows those that it has.
    if (!wanted) return show(request, reply.code(422), opened)
    dispatchDeliveries(await db.transaction((tx) => carryOut(tx, wanted, opened, clock())))
    return show(request, reply, await open(request))
  })

  /** @throws Problem 404 where the link is none of ours, or whoever it was for is gone */
  async function open(request: FastifyRequest): Promise<Opened> {
    const token = readText(toFormValues(request.query), 'token') || readText(toFormValues(request.body), 'token')
    const of = readUnsubscribeToken(await findUnsubscribeKey(db), token)
    const state = of && (await findSubscription(db, of))
    if (!of || !state) throw problems.notFound('this_address')
    return { token, of, state }
  }

  function show(request: FastifyRequest, reply: FastifyReply, opened: Opened) {
    const language = languageOf(opened.state.locale ?? languageOfRequest(request) ?? 'en')
    return sendPrivatePage(request, reply, urls, pageOf(opened, language, createLinks(urls)))
  }
}

/** What List-Unsubscribe of the mail was about. */
const oneClick = ({ of }: Opened): Deed => `stop-${of.kind}`

async function carryOut(tx: Transaction, deed: Deed, { of, state }: Opened, now: Date): Promise<PendingDelivery[]> {
  const { user_id, issue_id, question_id, watch_area_id } = state
  const stops = deed.startsWith('stop')
  switch (deed) {
    case 'stop-issue':
    case 'undo-issue':
      if (user_id === null || issue_id === null) return []
      return stops ? muteIssue(tx, { user_id, issue_id }) : unmuteIssue(tx, { user_id, issue_id }, now)
    case 'stop-question':
    case 'undo-question':
      if (user_id !== null && question_id !== null) await setQuestionMute(tx, { user_id, question_id }, stops)
      return []
    case 'stop-watch':
    case 'undo-watch':
      if (user_id === null || watch_area_id === null) return []
      await (stops ? stopWatchMails(tx, { user_id, watch_area_id }) : resumeWatchMails(tx, { user_id, watch_area_id }, now))
      return []
    case 'stop-all':
    case 'undo-all':
      if (user_id !== null) await setIssueMails(tx, user_id, !stops)
      return []
    case 'stop-address':
    case 'undo-address':
      if (of.kind !== 'address') return []
      await setAddressOptOut(tx, of.address_hash, stops)
      if (user_id !== null) await setIssueMails(tx, user_id, !stops)
      return []
  }
}

function pageOf({ token, of, state }: Opened, language: keyof typeof unsubscribeWords, { to }: Links): Page {
  const say = unsubscribeWords[language]
  const button = (deed: Deed, text: string) => html`<form method="post" action="${to('/unsubscribe')}">
    ${hiddenField('token', token)}${hiddenField('do', deed)}
    <p><button>${text}</button></p>
  </form>`
  /** One thing that is ended, or may be. */
  const choice = (what: What, isStopped: boolean, stop: string, stopped: string): SafeHtml =>
    isStopped ? html`<p class="done" role="status">${stopped}</p>${button(`undo-${what}`, say.undo)}` : button(`stop-${what}`, stop)
  const { issue_id, question_id, watch_area_id, summary, is_muted, is_opted_out, issue_mails } = state
  return {
    title: say.title,
    description: say.description,
    language,
    body: html`<div class="narrow">
      <h1>${say.title}</h1>
      ${issue_id === null ? '' : html`<p>${say.about(summary)}</p>${choice('issue', is_muted, say.stopIssue, say.stoppedIssue)}`}
      ${question_id === null ? '' : html`<p>${say.aboutQuestion(summary)}</p>${choice('question', is_muted, say.stopQuestion, say.stoppedQuestion)}`}
      ${watch_area_id === null ? '' : html`<p>${say.aboutArea(summary)}</p>${choice('watch', is_muted, say.stopArea, say.stoppedArea)}`}
      ${
        of.kind === 'address'
          ? html`<p>${say.address}</p>${choice('address', is_opted_out, say.stopAddress, say.stoppedAddress)}`
          : choice('all', issue_mails === false, say.stopAll, say.stoppedAll)
      }
      ${of.kind === 'address' ? '' : html`<p class="quiet">${say.account} <a href="${to('/account')}">${say.settings}</a></p>`}
    </div>`,
  }
}
