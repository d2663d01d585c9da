import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { problems } from '../errors/problems.ts'
import { createLinks, type Links, seeOther } from '../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../html/page.ts'
import { html } from '../html/template.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { stringEnum } from '../http/schema/fields.ts'
import { type Language, textsIn } from '../locales/texts.ts'
import { queueNames } from '../queue/job-definitions.ts'
import type { BullQueue } from '../queue/queue.ts'
import type { Services } from '../services.ts'

const actions = ['retry', 'pause', 'resume', 'drain'] as const
export type QueueAction = (typeof actions)[number]

/** Draining keeps scheduled jobs, and the outbox queues pending deliveries again. */
const run: Readonly<Record<QueueAction, (queue: BullQueue) => Promise<unknown>>> = {
  retry: (queue) => queue.retryJobs({ state: 'failed' }),
  pause: (queue) => queue.pause(),
  resume: (queue) => queue.resume(),
  drain: (queue) => queue.drain(),
}

/** The forms of `/ops` that change a queue. */
export const queueRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { queue, urls }) => {
  const schema = { params: Type.Object({ queue: stringEnum(queueNames), action: stringEnum(actions) }) }

  app.get('/ops/queue/:queue/:action', { schema }, async (request, reply) => {
    const page = confirmationPage(request.params, createLinks(urls), pageLanguage(request))
    return sendPrivatePage(request, reply, urls, page)
  })

  app.post('/ops/queue/:queue/:action', { schema }, async (request, reply) => {
    if (!queue?.isUp()) throw problems.unavailable()
    const { params, viewer } = request
    await run[params.action](queue.queues[params.queue])
    request.log.info({ ...params, user_id: viewer?.id ?? null }, 'queue changed by an operator')
    return seeOther(reply, urls, '/ops')
  })
}

/** The page that asks before a queue is changed. It needs no scripts. */
function confirmationPage(
  { queue, action }: { readonly queue: string; readonly action: QueueAction },
  { to }: Links,
  language: Language,
): HtmlPage {
  const texts = textsIn(language)
  const title = texts(`ops.actions.${action}.title`, { queue })
  return {
    title,
    description: texts('ops.description'),
    language,
    body: html`<p class="trail"><a href="${to('/ops')}">${texts('ops.title')}</a></p>
      <h1>${title}</h1>
      <p>${texts(`ops.actions.${action}.text`)}</p>
      <form class="buttons" method="post"><button>${texts('ops.confirm')}</button> <a class="button" href="${to('/ops')}">${texts('ops.cancel')}</a></form>`,
  }
}
