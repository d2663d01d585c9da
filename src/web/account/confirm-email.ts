import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { type ConfirmationState, confirmEmail, findConfirmation } from '../../accounts/emails/confirmation.ts'
import { CONFIRM_PASSWORD_WRONG } from '../../accounts/emails/rules.ts'
import { LinkToken } from '../../accounts/emails/schema.ts'
import { problems } from '../../errors/problems.ts'
import { html } from '../../html/template.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { listPendingMemberships } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import { errorSummary, type FieldErrors, hiddenField, inputField } from '../../html/fields.ts'
import { readText, translateErrors, toFormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'
import { text } from '../../errors/texts/text.ts'

/** Longer passwords cannot exist and are not hashed. */
const PASSWORD_MAX = 500

/** GET changes nothing, because virus scanners open every link. The button confirms, with the account's password. */
export const confirmPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, enqueueDeliveries }) => {
  const links = createLinks(urls)
  app.addHook('onSend', preventUrlLeaks)

  app.get('/emails/confirm', async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const found = await findConfirmation(db, token)
    if (found.state === 'invalid') void reply.code(422)
    return sendPrivatePage(request, reply, urls, confirmationPage(found, token, links, await listOrganizationsToJoin(db, found)))
  })

  app.post('/emails/confirm', { config: { hasMailToken: true } }, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    const { deliveries, ...found } = await confirmEmail(db, token, async (userId) => {
      const password = readText(toFormValues(request.body), 'password')
      const isPossible = password !== '' && password.length <= PASSWORD_MAX
      return isPossible ? reply.checkOwnPassword(userId, password) : undefined
    })
    enqueueDeliveries(deliveries)
    if (found.state === 'confirmed') request.writerId = found.owner.id
    else void reply.code(422)
    if (found.state !== 'wrong password') return sendPrivatePage(request, reply, urls, confirmationPage(found, token, links))
    const open = { ...found, state: 'open' } as const
    const errors = translateErrors(request, { password: CONFIRM_PASSWORD_WRONG })
    return sendPrivatePage(
      request,
      reply,
      urls,
      confirmationPage(open, token, links, await listOrganizationsToJoin(db, open), errors),
    )
  })
}

/** The same page at its path in the interface. Register it under /api/v2. */
export const apiConfirmPage: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.addHook('onSend', preventUrlLeaks)
  app.get(
    '/emails/confirm',
    {
      schema: {
        operationId: 'getEmailConfirmationPage',
        summary: 'Look at the page that confirms an e-mail address',
        description: 'A page with a button. Opening it changes nothing.',
        tags: ['E-mails'],
        querystring: Type.Object({ token: LinkToken }),
        response: {
          200: { description: 'A page with a button that confirms.', content: { 'text/html': { schema: Type.String() } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.query
      const found = await findConfirmation(db, token)
      if (found.state === 'invalid') throw problems.invalid({ token: text('confirmation_link_expired') })
      return sendPrivatePage(
        request,
        reply,
        urls,
        confirmationPage(found, token, createLinks(urls), await listOrganizationsToJoin(db, found)),
      ) as never
    },
  )
}

async function listOrganizationsToJoin(db: Services['db'], found: ConfirmationState): Promise<string[]> {
  if (found.state !== 'open') return []
  return (await listPendingMemberships(db, found.email.email)).map(({ organization }) => organization)
}

function confirmationPage(
  found: ConfirmationState,
  token: string,
  { to }: Links,
  organizations: readonly string[] = [],
  errors: FieldErrors = {},
): HtmlPage {
  switch (found.state) {
    case 'open':
      return {
        title: 'Confirm your e-mail address',
        description: 'The password of the account and one button confirm the address that the mail went to.',
        body: html`<div class="narrow">
          <h1>Confirm your e-mail address</h1>
          <p>Are <b>${found.email.email}</b> and the account of <b>${found.owner.name}</b> both yours? When the address is confirmed, you get mails
            about what you report and follow.</p>
          ${
            organizations.length === 0
              ? ''
              : html`<p class="error-summary">With this address the account becomes a member of <b>${organizations.join(', ')}</b>, with all rights of a member.
                  Continue only if you created that account yourself.</p>`
          }
          ${errorSummary(errors, ['password'])}
          <form method="post" action="${to('/emails/confirm')}">
            ${hiddenField('token', token)}
            ${inputField({
              name: 'password',
              label: 'Password of this account',
              type: 'password',
              autocomplete: 'current-password',
              hint: 'Another account may have entered this address: the password shows that the account is yours.',
              required: true,
              error: errors['password'],
            })}
            <p><button>Yes, confirm this address</button></p>
          </form>
          <p class="quiet">If it is not your account, close the page: nothing has happened yet.</p>
        </div>`,
      }
    case 'confirmed':
      return {
        title: 'Your e-mail address is confirmed',
        description: 'There is nothing left to do.',
        body: html`<div class="narrow">
          <h1>Your e-mail address is confirmed</h1>
          <p class="done"><b>${found.email.email}</b> is confirmed. There is nothing left to do.</p>
          <p><a class="button" href="${to('/')}">Go to the home page</a></p>
        </div>`,
      }
    case 'invalid':
      return {
        title: 'This link does not work any more',
        description: 'What to do when the link of a mail does not work.',
        body: html`<div class="narrow">
          <h1>This link does not work any more</h1>
          <p>It may be older than three days, the address may have been removed from the account, or your mail program may have split the
            link: then copy all of it into the browser.</p>
          <p>To get another mail, log in and request it in your account. Programs send
            <code>POST /api/v2/emails/:id/confirmation</code>.</p>
          <p><a class="button" href="${to('/account')}">Go to your account</a></p>
        </div>`,
      }
  }
}
