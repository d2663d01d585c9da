import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { sendPrivatePage, pageTitles } from '../../html/page.ts'
import { requirePageLogin, seeOther } from '../../html/links.ts'
import { html } from '../../html/template.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { listInvitations, acceptInvitation, declineInvitation } from '../../organizations/members.ts'
import { InvitationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'
import { accountSection } from './account-sections.ts'

const PATH = '/account/invitations'
const Query = Type.Object({ done: Type.Optional(stringEnum(['accepted', 'declined'])) })

/** The invitations of organisations to the confirmed addresses of an account. The mail of an invitation leads here. */
export const invitationPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls }) => {
  app.addHook('onRequest', requirePageLogin(urls, PATH))

  app.get(PATH, { schema: { querystring: Query } }, async (request, reply) => {
    const texts = pageTexts(request)
    const invitations = await listInvitations(db, requireViewer(request))
    const { done } = request.query
    const rows = invitations.map(
      ({ id, organization, role }) => html`<li>
        <span>${texts('invitations.text', { organization, role: texts(`roles.${role}`) })}</span>
        <span class="actions">
          <form method="post" action="${links.to(`${PATH}/${id}/accept`)}"><button>${texts('invitations.accept')}</button></form>
          <form method="post" action="${links.to(`${PATH}/${id}/decline`)}"><button class="second">${texts('invitations.decline')}</button></form>
        </span>
      </li>`,
    )
    const content = html`<div class="narrow">
      ${done ? html`<p class="done" role="status">${texts(`invitations.done.${done}`)} ${done === 'accepted' ? html`<a href="${links.to('/work')}">${texts('invitations.work')}</a>` : ''}</p>` : ''}
      ${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="empty">${texts('invitations.none')}</p>`}
    </div>`
    return sendPrivatePage(request, reply, urls, {
      ...pageTitles(texts, 'accountSections.sections.invitations', 'account.description'),
      body: accountSection('invitations', content, links, texts),
    })
  })

  for (const [step, answer, done] of [
    ['accept', acceptInvitation, 'accepted'],
    ['decline', declineInvitation, 'declined'],
  ] as const) {
    app.post(`${PATH}/:id/${step}`, { schema: { params: InvitationParams } }, async (request, reply) => {
      const { id } = request.params as { readonly id: number }
      await db.transaction(async (tx) => {
        await answer(tx, requireViewer(request), id)
      })
      return seeOther(reply, urls, `${PATH}?done=${done}`)
    })
  }
}
