import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { EmailChange } from '../../accounts/emails/changes.ts'
import { findRevertState, revertEmailChange, type RevertState } from '../../accounts/emails/revert.ts'
import { html } from '../../html/template.ts'
import type { Services } from '../../services.ts'
import { hiddenField } from '../../html/fields.ts'
import { readText, toFormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'

/** The page behind the link of a mail about changed addresses. Opening it changes nothing; the button undoes the change. */
export const revertEmailChangePages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, enqueueDeliveries }) => {
  const links = createLinks(urls)
  app.addHook('onSend', preventUrlLeaks)

  app.get('/emails/revert', async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const found = await findRevertState(db, token)
    if (found.state === 'invalid') void reply.code(422)
    return sendPrivatePage(request, reply, urls, revertPage(found, token, links))
  })

  app.post('/emails/revert', { config: { hasMailToken: true } }, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    const { deliveries, ...found } = await revertEmailChange(db, token)
    enqueueDeliveries(deliveries)
    if (found.state === 'invalid') void reply.code(422)
    else request.writerId = found.userId
    return sendPrivatePage(request, reply, urls, revertPage(found, token, links))
  })
}

const changeTexts: Readonly<Record<EmailChange, { readonly happened: string; readonly after: string }>> = {
  'user.email_added': { happened: 'was added to your account', after: 'does not belong to your account any more' },
  'user.email_confirmed': { happened: 'was confirmed for your account', after: 'does not belong to your account any more' },
  'user.email_removed': { happened: 'was removed from your account', after: 'belongs to your account again' },
}

function revertPage(found: RevertState, token: string, { to }: Links): HtmlPage {
  switch (found.state) {
    case 'open':
      return {
        title: 'Undo the change',
        description: 'Undo a change of your e-mail addresses with one button.',
        body: html`<div class="narrow">
          <h1>Undo the change</h1>
          <p><b>${found.email}</b> ${changeTexts[found.type].happened}. If you undo this, the address
            ${changeTexts[found.type].after}, and all sessions and tokens of the account end: you must log in again everywhere.</p>
          <form method="post" action="${to('/emails/revert')}">
            ${hiddenField('token', token)}
            <p><button>Yes, undo it</button></p>
          </form>
          <p class="quiet">If the change was yours, close the page: nothing has happened yet.</p>
        </div>`,
      }
    case 'done':
      return {
        title: 'The change is undone',
        description: 'What to do next to keep your account safe.',
        body: html`<div class="narrow">
          <h1>The change is undone</h1>
          <p class="done">${found.email === null ? 'The address' : html`<b>${found.email}</b>`} ${changeTexts[found.type].after}. All sessions and tokens of that time have ended.</p>
          <p>If the change was not yours, choose a new password, and then look whether your account has addresses that you do not know.</p>
          <p><a class="button primary" href="${to('/password/forgot')}">Choose a new password</a>
            <a class="button" href="${to('/account')}">Your account</a></p>
        </div>`,
      }
    case 'invalid':
      return {
        title: 'This link does not work any more',
        description: 'What to do when the link of a mail does not work.',
        body: html`<div class="narrow">
          <h1>This link does not work any more</h1>
          <p>It may be older than seven days, the address may belong to another account by now, or the change was undone with the link
            of another mail. Perhaps the mail program has broken the link in two: then copy all of it into the browser.</p>
          <p><a class="button primary" href="${to('/password/forgot')}">Choose a new password</a>
            <a class="button" href="${to('/account')}">Your account</a></p>
        </div>`,
      }
  }
}
