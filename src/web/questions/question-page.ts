import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { type HiddenAnswer, listHiddenAnswers, type AnswerRow, listAnswers, listOwnVotes, toAnswer } from '../../answers/queries.ts'
import { ANSWER_MAX } from '../../answers/schema.ts'
import { mayAccept } from '../../answers/write-answer.ts'
import type { Queryable } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { Point } from '../../geo/shapes.ts'
import { errorSummary, type FieldErrors } from '../../html/fields.ts'
import { type FormState, type FormValues, toFormValues } from '../../html/form.ts'
import { formatNumber, truncate, formatLocalTime } from '../../html/format.ts'
import { breadcrumbList } from '../../html/json-ld.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { type HtmlPage, sendPage } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Texts } from '../../locales/texts.ts'
import { findPlace } from '../../places/queries.ts'
import { findQuestion, type QuestionRow, toQuestion } from '../../questions/queries.ts'
import { QuestionParams } from '../../questions/schema.ts'
import { findHiddenState, type HiddenState } from '../../questions/write-question.ts'
import type { Services } from '../../services.ts'
import { userName } from '../../users/present.ts'
import { sayForm } from './say-form.ts'

const ANSWERS_MAX = { first: 100, all: 10_000 } as const
/** Hidden answers on the page. Moderators have a separate list of all. */
const HIDDEN_MAX = 20

interface QuestionView {
  readonly viewer: Viewer | null
  /** The centre of the city, whose time zone is used. */
  readonly centre: Point
  readonly question: QuestionRow
  /** False for questions that are held or rejected: only the asker and moderators see them, without any actions. */
  readonly isPublic: boolean
  readonly hiddenState: HiddenState | undefined
  readonly answers: readonly AnswerRow[]
  readonly hidden: readonly HiddenAnswer[]
  readonly voted: ReadonlySet<number>
  readonly mayAccept: boolean
}

/** @throws Problem 404 if the question is unknown or not visible to the viewer */
export async function findQuestionView(
  { db }: Services,
  id: number,
  viewer: Viewer | null,
  shown: keyof typeof ANSWERS_MAX = 'first',
): Promise<QuestionView> {
  const question = await findQuestion(db, id, viewer)
  const isPublic = question.moderation_state === 'passed'
  const subject = { place_id: question.place.id, asker_id: question.asker?.id ?? null }
  const [centre, answers, hidden, hiddenState, accepts] = await Promise.all([
    readCentre(db, question.place),
    listAnswers(db, id, { page: 1, perPage: ANSWERS_MAX[shown] }),
    listHiddenAnswers(db, id, viewer, HIDDEN_MAX),
    isPublic ? undefined : findHiddenState(db, id),
    viewer && isPublic ? mayAccept(db, subject, viewer) : false,
  ])
  const voted = await listOwnVotes(
    db,
    answers.map((answer) => answer.id),
    viewer,
  )
  return { viewer, centre, question, isPublic, hiddenState, answers, hidden, voted, mayAccept: accepts }
}

/** @throws Problem 404 if the city was deleted */
export async function readCentre(db: Queryable, { id }: { readonly id: number }): Promise<Point> {
  const place = await findPlace(db, id)
  if (!place) throw problems.notFound('the_place')
  return { lng: place.center_lng, lat: place.center_lat }
}

export interface RejectedAnswerForm {
  readonly form: 'answer' | 'action'
  readonly values: FormValues
  readonly errors: FieldErrors
}

/** Every part of the page gets this. */
interface Context {
  readonly view: QuestionView
  readonly links: Links
  readonly texts: Texts
}

export function questionPage(view: QuestionView, rejected: RejectedAnswerForm | undefined, urls: Urls, texts: Texts): HtmlPage {
  const { viewer, isPublic, question: row, answers, hidden } = view
  const links = createLinks(urls)
  const context = { view, links, urls, texts, language: texts.language }
  const question = toQuestion(row, urls)
  const { place, asker } = question
  const list = `/places/${place.url_name}/questions`
  const isOwn = viewer !== null && asker.id === viewer.id
  const isAnswerRejected = rejected?.form === 'answer' && isPublic
  const entries = [
    ...answers.map((answer) => answerEntry(answer, context)),
    ...hidden.map((answer) => hiddenAnswerEntry(answer, context)),
  ]
  const title = truncate(question.question, 80)
  const allLink = (text: string) => html`<a href="${links.to(`/questions/${question.id}`, { answers: 'all' })}#answers">${text}</a>`
  return {
    title: rejected ? texts('question.errorTitle', { title }) : title,
    description: truncate([texts('question.description', { place: place.name }), answers[0]?.answer].filter(Boolean).join(' · ')),
    ...(rejected || !isPublic ? {} : { canonical: `/questions/${question.id}`, jsonLd: questionJsonLd(view, urls, texts) }),
    body: html`<p class="trail"><a href="${links.to('/places')}">${texts('question.places')}</a> ›
        <a href="${links.to(`/places/${place.url_name}`)}">${place.name}</a> › <a href="${links.to(list)}">${texts('question.questions')}</a></p>
      <article>
        <h1 class="text">${question.question}</h1>
        <p class="quiet">${texts('question.askedBy', { name: userName(asker, texts.language) })}, ${formatLocalTime(question.created_at, texts, view.centre)}</p>
        ${rejected && !isAnswerRejected ? errorSummary(rejected.errors, [], texts.language) : ''}
        ${isPublic ? '' : hiddenNotice(context, isOwn)}
        <section aria-labelledby="answers">
          <h2 id="answers">${texts('question.answers', { count: question.answer_count })}</h2>
          ${question.answer_count > answers.length ? html`<p class="quiet">${richText(texts, 'question.firstAnswers', { count: formatNumber(answers.length, texts.language), all: allLink })}</p>` : ''}
          ${entries.length > 0 ? html`<ol class="comments">${entries}</ol>` : html`<p class="empty">${emptyText(context, isOwn, links.to(list))}</p>`}
        </section>
        ${isPublic ? answerForm(context, isAnswerRejected ? rejected : undefined) : ''}
        <p class="quiet">${isOwn ? '' : html`<a href="${links.to(`/questions/${question.id}/flag`)}">${texts('question.flagQuestion')}</a>`}</p>
      </article>`,
  }
}

function hiddenNotice({ view: { question, hiddenState }, links: { to }, texts }: Context, isOwn: boolean): SafeHtml {
  const item = hiddenState?.item_id ?? null
  const audience = isOwn ? texts('question.audience.ownQuestion') : texts('question.audience.question')
  if (question.moderation_state === 'rejected')
    return html`<p class="waiting"><b>${texts('question.rejectedQuestion')}</b> ${audience}.
      ${hiddenState?.reason ? texts('question.moderatorSays', { reason: hiddenState.reason }) : ''}</p>`
  return html`<p class="${isOwn ? 'done' : 'waiting'}"${isOwn ? html` role="status"` : ''}><b>${texts('question.heldQuestion')}</b>
    ${texts('question.untilThen', { audience })} ${isOwn || item === null ? '' : html`<a href="${to(`/moderation/${item}`)}">${texts('question.decide')}</a>`}</p>`
}

function emptyText({ view: { viewer, isPublic }, texts }: Context, isOwn: boolean, list: string): SafeHtml {
  const others = (text: string) => html`<a href="${list}">${text}</a>`
  if (!isPublic) return richText(texts, 'question.notOpenYet', { others })
  if (isOwn) return richText(texts, 'question.shareIt', { others })
  return viewer
    ? richText(texts, 'question.answerIt', { write: (text) => html`<a href="#field-answer">${text}</a>`, others })
    : richText(texts, 'question.noAnswers', { others })
}

function answerForm({ view: { viewer, question }, links, texts }: Context, rejected: FormState | undefined): SafeHtml {
  const path = `/questions/${question.id}`
  const form = {
    name: 'answer',
    path,
    action: `${path}/answers`,
    title: texts('question.writeAnswer'),
    maxlength: ANSWER_MAX,
  } as const
  return sayForm(form, viewer, rejected, links, texts)
}

/** Structured data of a public question with its answers, and its breadcrumbs. */
function questionJsonLd({ question: row, answers }: QuestionView, urls: Urls, texts: Texts): object[] {
  const question = toQuestion(row, urls)
  const { place } = question
  const person = (user: { readonly id: number; readonly name: string } | null) => ({
    '@type': 'Person',
    name: userName(user ?? { id: 0, name: '' }, texts.language),
  })
  const listed = answers.map(({ id, answer, answerer, created_at }) => ({
    '@type': 'Answer',
    text: answer,
    author: person(answerer),
    datePublished: created_at,
    url: `${urls.at(`/questions/${question.id}`)}#answer-${id}`,
  }))
  const isAccepted = (index: number) => answers[index]?.id === question.accepted_answer_id
  const accepted = listed.find((_, index) => isAccepted(index))
  return [
    {
      '@type': 'QAPage',
      mainEntity: {
        '@type': 'Question',
        name: question.question,
        text: question.question,
        author: person(question.asker),
        datePublished: question.created_at,
        answerCount: question.answer_count,
        ...(accepted ? { acceptedAnswer: accepted } : {}),
        suggestedAnswer: listed.filter((_, index) => !isAccepted(index)),
      },
    },
    breadcrumbList(
      [
        [texts('question.places'), '/places'],
        [place.name, `/places/${place.url_name}`],
        [texts('question.questions'), `/places/${place.url_name}/questions`],
        [question.question, `/questions/${question.id}`],
      ],
      urls,
    ),
  ]
}

/** Every entry gets this. */
interface Context {
  readonly view: QuestionView
  readonly urls: Urls
  readonly texts: Texts
}

function answerEntry(row: AnswerRow, { view, urls, texts }: Context): SafeHtml {
  const { viewer, isPublic, voted, mayAccept } = view
  const { relative, to } = createLinks(urls)
  const { id, answer, answerer, accepted_at, total_votes, created_at } = toAnswer(row, urls)
  const author = userName(answerer, texts.language)
  const actionButton = (step: string, action: 'vote' | 'removeVote' | 'accept' | 'undoAcceptance') =>
    html`<form method="post" action="${to(`/answers/${id}/${step}`)}"><button class="second" aria-label="${texts('question.label', { action: texts(`question.${action}`), author })}">${texts(`question.${action}`)}</button></form>`
  const vote = voted.has(id) ? actionButton('vote/delete', 'removeVote') : actionButton('vote', 'vote')
  const acceptance = accepted_at ? actionButton('accept/delete', 'undoAcceptance') : actionButton('accept', 'accept')
  return html`<li class="card${accepted_at ? ' accepted' : ''}" id="answer-${id}">
    <img src="${relative(answerer.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${author}</b> ${accepted_at ? html`<span class="status closed">${texts('question.accepted')}</span>` : ''} <span class="quiet">${formatLocalTime(created_at, texts, view.centre)}</span></p>
      <p class="text">${answer}</p>
      <div class="buttons"><span>${texts('question.votes', { count: total_votes })}</span>
        ${viewer && isPublic ? html`${vote}${mayAccept ? acceptance : ''}` : ''}</div>
      ${viewer?.id === answerer.id ? '' : html`<p class="quiet"><a href="${to(`/answers/${id}/flag`)}" aria-label="${texts('question.label', { action: texts('question.flag'), author })}">${texts('question.flag')}</a></p>`}
    </div>
  </li>`
}

function hiddenAnswerEntry({ row, item_id, reason }: HiddenAnswer, { view, urls, texts }: Context): SafeHtml {
  const { relative, to } = createLinks(urls)
  const { id, answer, answerer, created_at } = toAnswer(row, urls)
  const isOwn = view.viewer?.id === answerer.id
  const audience = isOwn ? texts('question.audience.ownAnswer') : texts('question.audience.answer')
  const explanation =
    row.moderation_state === 'rejected'
      ? html`<b>${texts('question.rejectedAnswer')}</b> ${audience}. ${reason ? texts('question.moderatorSays', { reason }) : ''}`
      : html`<b>${texts('question.heldAnswer')}</b> ${texts('question.untilThen', { audience })}
          ${isOwn || item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts('question.decide')}</a>`}`
  return html`<li class="card unseen" id="answer-${id}">
    <img src="${relative(answerer.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${userName(answerer, texts.language)}</b> <span class="quiet">${formatLocalTime(created_at, texts, view.centre)}</span></p>
      <p class="waiting">${explanation}</p>
      <p class="text">${answer}</p>
    </div>
  </li>`
}

export const questionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  app.get('/questions/:id', { schema: { params: QuestionParams } }, async (request, reply) => {
    const { id } = request.params
    const { viewer } = request
    const view = await findQuestionView(services, id, viewer, toFormValues(request.query)['answers'] === 'all' ? 'all' : 'first')
    return sendPage(request, reply, services.urls, questionPage(view, undefined, services.urls, pageTexts(request)))
  })
}
