import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import type { ValidationErrors } from '../../errors/problems.ts'
import type { FieldErrors } from '../../html/fields.ts'
import {
  actionForm,
  bodyErrors,
  createForm,
  type FormValues,
  readText,
  toFormValues,
  translateErrors,
  validationErrorsFrom,
} from '../../html/form.ts'
import { formatLocalTime } from '../../html/format.ts'
import { createLinks, requirePageLogin, seeOther } from '../../html/links.ts'
import { pageTitles, sendPrivatePage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { organizationIdsWith } from '../../http/identity/capabilities.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { clearSecretCookie, readSecretCookie, setSecretCookie } from '../../http/identity/secret-cookies.ts'
import { Id, stringEnum } from '../../http/schema/fields.ts'
import { changeKinds } from '../../issues/changes/schema.ts'
import { text, type Texts } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import { createWebhookEditor } from '../../webhooks/edit.ts'
import { findWebhook, listWebhooks, presentWebhook, renewSecret, shownSecret, type WebhookRow } from '../../webhooks/queries.ts'
import { NewWebhook, WebhookChange, type WebhookDelivery } from '../../webhooks/schema.ts'
import { accountSection } from './account-sections.ts'

const PATH = '/account/webhooks'
const DELIVERIES_SHOWN = 20
/** The time for the way to the page after a new secret. */
const SECRET_SHOWN_S = 60
const doneKeys = ['saved', 'removed', 'delivered', 'notDelivered', 'replayed'] as const
const Query = Type.Object({ done: Type.Optional(stringEnum(doneKeys)) })
const Params = Type.Object({ id: Id })

interface Sent {
  readonly values?: FormValues
  readonly errors?: FieldErrors
}

/** The webhooks of an account and of the organisations that it may manage. */
export const webhookPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { clock, db, links, urls } = services
  const { to } = links
  const editor = createWebhookEditor(app, services)
  app.addHook('onRequest', requirePageLogin(urls, PATH))

  app.get(PATH, { schema: { querystring: Query } }, async (request, reply) => sendList(request, reply))

  app.post(PATH, async (request, reply) => {
    const values = toFormValues(request.body)
    const organization_id = Number(readText(values, 'organization_id'))
    const input = { ...readWebhook(values), ...(organization_id > 0 ? { organization_id } : {}) }
    const saved = await save(request, input, NewWebhook, () => editor.create(requireViewer(request), input))
    if ('errors' in saved) return sendList(request, reply.code(422), { values, errors: saved.errors })
    return showSecret(reply, saved)
  })

  app.get(`${PATH}/:id`, { schema: { params: Params, querystring: Query } }, async (request, reply) =>
    sendWebhook(request, reply, await find(request)),
  )

  app.post(`${PATH}/:id`, { schema: { params: Params } }, async (request, reply) => {
    const row = await find(request)
    const values = toFormValues(request.body)
    const input = readWebhook(values)
    const saved = await save(request, input, WebhookChange, () => editor.change(row, input))
    if ('errors' in saved) return sendWebhook(request, reply.code(422), row, { values, errors: saved.errors })
    return seeOther(reply, urls, `${PATH}/${row.id}?done=saved`)
  })

  app.post(`${PATH}/:id/secret`, { schema: { params: Params } }, async (request, reply) => {
    return showSecret(reply, await renewSecret(db, await find(request), clock()))
  })

  /** Redirects to the page that shows a new secret, once. The hash in the cookie cannot be made without the secret. */
  function showSecret(reply: FastifyReply, { id, secret }: WebhookRow) {
    setSecretCookie(reply, 'webhook', urls, { secret: hashToken(secret), maxAge_s: SECRET_SHOWN_S })
    return seeOther(reply, urls, `${PATH}/${id}`)
  }

  /** Each returns the message that the next page shows. */
  const steps: Readonly<Record<string, (row: WebhookRow, values: FormValues) => Promise<(typeof doneKeys)[number]>>> = {
    test: async (row) => ((await editor.test(row)).delivered ? 'delivered' : 'notDelivered'),
    replay: async (row, values) => editor.replay(row, readText(values, 'since')).then(() => 'replayed'),
    delete: async ({ id }) => db.prisma.webhook.deleteMany({ where: { id } }).then(() => 'removed'),
  }
  for (const [step, act] of Object.entries(steps))
    app.post(`${PATH}/:id/${step}`, { schema: { params: Params } }, async (request, reply) => {
      const row = await find(request)
      const done = await act(row, toFormValues(request.body))
      return seeOther(reply, urls, `${PATH}${done === 'removed' ? '' : `/${row.id}`}?done=${done}`)
    })

  const find = (request: FastifyRequest) => findWebhook(db, requireViewer(request), (request.params as { readonly id: number }).id)

  async function save(
    request: FastifyRequest,
    input: object,
    schema: typeof NewWebhook | typeof WebhookChange,
    work: () => Promise<WebhookRow>,
  ): Promise<WebhookRow | { readonly errors: FieldErrors }> {
    const errors = bodyErrors(request, input, schema)
    if (Object.keys(errors).length > 0) return { errors: translateErrors(request, errors) }
    return work().catch((error: unknown) => ({ errors: translateErrors(request, inQuery(validationErrorsFrom(error))) }))
  }

  async function sendList(request: FastifyRequest, reply: FastifyReply, { values = {}, errors = {} }: Sent = {}) {
    const texts = pageTexts(request)
    const viewer = requireViewer(request)
    const rows = await listWebhooks(db, viewer)
    const organizations = await db.prisma.organization.findMany({
      where: { id: { in: organizationIdsWith(viewer, 'manage_organization') } },
      select: { id: true, name: true },
      orderBy: { name: 'asc' },
    })
    const nameOf = new Map(organizations.map(({ id, name }) => [id, name]))
    const items = rows.map(
      (row) => html`<li><span><a href="${to(`${PATH}/${row.id}`)}">${row.url}</a>
        <span class="quiet">${stateOf(row, texts)}</span>
        ${row.organization_id ? html`<br><span class="quiet">${nameOf.get(row.organization_id)}</span>` : ''}</span></li>`,
    )
    const choices = organizations.map(({ id, name }) => ({ key: String(id), name }))
    const form = createForm(texts.language, { values, errors })
    const fields = html`${webhookFields(form, values, texts)}
      ${choices.length > 0 ? form.select('organization_id', texts('webhooks.organization'), { choices: [{ key: '', name: texts('webhooks.ownAccount') }, ...choices], value: readText(values, 'organization_id'), hasDefault: true }) : ''}`
    return sendPage(
      request,
      reply,
      html`<p class="quiet">${texts('webhooks.hint')} <a href="${to('/docs')}#/Webhooks">${texts('webhooks.docs')}</a></p>
        ${items.length > 0 ? html`<ul class="rows">${items}</ul>` : html`<p class="empty">${texts('webhooks.none')}</p>`}
        <h2>${texts('webhooks.add')}</h2>${form.errorSummary()}
        ${actionForm({ action: to(PATH), fields, button: texts('webhooks.add'), kind: '' })}`,
    )
  }

  async function sendWebhook(request: FastifyRequest, reply: FastifyReply, row: WebhookRow, sent: Sent = {}) {
    const texts = pageTexts(request)
    const path = to(`${PATH}/${row.id}`)
    const secret = readSecretCookie(request, 'webhook', urls) === hashToken(row.secret) ? shownSecret(row) : null
    if (secret !== null) clearSecretCookie(reply, 'webhook', urls)
    const deliveries = await db.prisma.webhookDelivery.findMany({
      where: { webhook_id: row.id },
      orderBy: { id: 'desc' },
      take: DELIVERIES_SHOWN,
    })
    const values = sent.values ?? { url: row.url, query: row.query, kinds: row.kinds }
    const form = createForm(texts.language, { values, errors: sent.errors ?? {} })
    const fields = webhookFields(form, values, texts)
    const items = deliveries.map((one) => {
      const time = formatLocalTime(one.changed_at.toISOString(), texts, undefined)
      const issue = one.issue_id === null ? '' : html` <a href="${to(`/issues/${one.issue_id}`)}">#${one.issue_id}</a>`
      const result = one.error ?? texts(one.sent_at ? 'webhooks.sent' : 'webhooks.waiting')
      const again = { action: `${path}/replay`, hidden: { since: one.next_since }, button: texts('webhooks.replay') }
      return html`<li><span>${texts(`webhooks.messages.${one.kind as WebhookDelivery['kind']}`)}${issue} ${time}<br><span class="quiet">${result}</span></span>${actionForm(again)}</li>`
    })
    const { error, public_key } = presentWebhook(row)
    return sendPage(
      request,
      reply,
      html`<p class="trail"><a href="${to(PATH)}">${texts('accountSections.sections.webhooks')}</a></p>
        <h2>${row.url}</h2><p>${stateOf(row, texts)}${error ? html`: ${error}` : ''}</p>
        ${secret ? html`<p class="done" role="status">${texts('webhooks.secretShown')}<br><code>${secret}</code></p>` : ''}
        ${row.is_active ? '' : html`<p class="quiet">${texts('webhooks.testHint')}</p>`}
        ${actionForm({ action: `${path}/test`, button: texts('webhooks.test'), kind: row.is_active ? 'second' : '' })}
        ${form.errorSummary()}${actionForm({ action: path, fields, button: texts('account.save') })}
        <h2>${texts('webhooks.deliveries')}</h2>
        ${items.length > 0 ? html`<ul class="rows">${items}</ul>` : html`<p class="empty">${texts('webhooks.noDeliveries')}</p>`}
        <h2>${texts('webhooks.secret')}</h2>${public_key ? html`<p><code>${public_key}</code></p>` : ''}<p class="quiet">${texts('webhooks.secretHint')}</p>
        ${actionForm({ action: `${path}/secret`, button: texts('webhooks.newSecret') })}
        ${actionForm({ action: `${path}/delete`, button: texts('account.delete') })}`,
    )
  }

  function sendPage(request: FastifyRequest, reply: FastifyReply, content: SafeHtml) {
    const texts = pageTexts(request)
    const { done } = request.query as { readonly done?: (typeof doneKeys)[number] }
    const notice =
      done && html`<p class="${done === 'notDelivered' ? 'error' : 'done'}" role="status">${texts(`webhooks.done.${done}`)}</p>`
    return sendPrivatePage(request, reply, urls, {
      ...pageTitles(texts, 'accountSections.sections.webhooks', 'account.description'),
      body: accountSection('webhooks', html`<div class="narrow">${notice ?? ''}${content}</div>`, createLinks(urls), texts),
    })
  }
}

const stateOf = (row: WebhookRow, texts: Texts) => texts(`webhooks.states.${presentWebhook(row).state}`)

/** The query of a copied address is stored. */
const readWebhook = (values: FormValues) => ({
  url: readText(values, 'url').trim(),
  query: readText(values, 'query')
    .trim()
    .replace(/^(?:https?:\/)?\/[^?]*\?/, ''),
  kinds: [values['kinds'] ?? []].flat() as WebhookChange['kinds'] & {},
})

/** The errors of parameters are those of the field with the query. */
function inQuery({ base, url, ...parameters }: ValidationErrors): ValidationErrors {
  const query = Object.entries(parameters).flatMap(([name, reasons]) =>
    [reasons].flat().map((error) => text('named_error', { name, error })),
  )
  return { ...(base && { base }), ...(url && { url }), ...(query.length > 0 && { query }) }
}

function webhookFields(form: ReturnType<typeof createForm>, values: FormValues, texts: Texts): SafeHtml {
  const kinds = changeKinds.map((key) => ({ key, name: texts(`webhooks.kinds.${key}`) }))
  const chosen = 'kinds' in values ? ([values['kinds'] ?? []].flat() as string[]) : [...changeKinds]
  return html`${form.input('url', texts('webhooks.url'), { hint: texts('webhooks.urlHint'), required: true, maxlength: 500 })}
    ${form.input('query', texts('webhooks.query'), { hint: texts('webhooks.queryHint') })}
    ${form.checkboxes('kinds', texts('webhooks.kindsLabel'), { choices: kinds, values: chosen, required: true })}`
}
