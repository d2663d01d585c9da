import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Texts } from '../../locales/texts.ts'
import { orNotFound } from '../../errors/problems.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Services } from '../../services.ts'
import { userName } from '../../users/present.ts'
import { findUser, toUser } from '../../users/queries.ts'
import { IdParams, type User } from '../../users/profile-schema.ts'
import { formatDate, formatNumber } from '../../html/format.ts'
import { createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPage } from '../../html/page.ts'

/** The page of a user, with the data of `GET /users/:id`. It has no canonical URL, so search engines do not index it. */
export const userPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get('/users/:id', { schema: { params: IdParams } }, async (request, reply) => {
    const row = orNotFound(await findUser(db.reader, request.params.id), 'the_user')
    return sendPage(request, reply, urls, userPage(toUser(row, urls), request.viewer?.id === row.id, pageTexts(request), urls))
  })
}

function userPage(user: User, isOwn: boolean, texts: Texts, urls: Urls): HtmlPage {
  const { relative, to } = createLinks(urls)
  const name = userName(user, texts.language)
  const count = (number: number) => formatNumber(number, texts.language)
  const facts: readonly (readonly [name: string, value: SafeHtml | string])[] = [
    [texts('user.points'), count(user.civic_points)],
    [texts('user.reported'), count(user.reported_issue_count)],
    [texts('user.closed'), count(user.closed_issue_count)],
    [texts('user.comments'), count(user.comments_count)],
    [texts('user.following'), count(user.following_issue_count)],
    [texts('user.voted'), count(user.voted_issue_count)],
    ...(user.permissions.can_acknowledge ? [[texts('user.acknowledges'), texts('user.yes')] as const] : []),
    [texts('user.since'), formatDate(user.created_at, texts.language)],
    [texts('user.changed'), formatDate(user.updated_at, texts.language)],
  ]
  return {
    title: name,
    description: texts('user.description', { name }),
    body: html`<article class="narrow">
        <header class="heading">
          <img src="${relative(user.avatar.square_100x100)}" width="64" height="64" alt="">
          <div><h1>${name}</h1><p class="quiet">${texts.section('user.wittyTitles')[user.witty_title] ?? user.witty_title} · ${texts.section('user.roles')[user.role] ?? user.role}</p></div>
        </header>
        <dl class="facts">${facts.map(([fact, value]) => html`<div><dt>${fact}</dt><dd>${value}</dd></div>`)}</dl>
        <p class="quiet">${isOwn ? '' : html`<a href="${to(`/users/${user.id}/flag`)}">${texts('user.flag')}</a>`}</p>
      </article>`,
  }
}
