import { type Part, type Row, fillForm, type FormField, readForm, type PartContext } from './parts/part.ts'
import { questions, requestTypes } from './parts/request-types.ts'
import { forwarding } from './parts/forwarding.ts'
import { invitations, members } from './parts/members.ts'
import { settings } from './parts/settings.ts'
import { calendars, targets } from './parts/targets.ts'
import { templates } from './parts/templates.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Transaction } from '../../database/database.ts'
import { problems, orNotFound } from '../../errors/problems.ts'
import type { FieldErrors } from '../../html/fields.ts'
import {
  bodyErrors,
  type FormValues,
  readText,
  toFormValues,
  translateErrors,
  validationErrorsFrom,
  formIdempotencyKey,
} from '../../html/form.ts'
import { createLinks, requirePageLogin, seeOther } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { addIdempotency, releaseIdempotencyKey, idempotent } from '../../http/idempotency/idempotency.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import type { Capability } from '../../http/identity/roles.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { contentFingerprint } from '../../http/request/version-header.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { languageOf, text } from '../../locales/texts.ts'
import { lockMemberships, lockOrganization, requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { WebServices } from '../map/page-maps.ts'
import { contentsPage, doneKeys, type DoneKey, formPage, listPage, isChild, listPath, rowList } from './part-page.ts'

/** The parts in the order of the page of contents. That of questions is below the request types. */
const parts: readonly Part<Row>[] = [
  ...[settings, forwarding, requestTypes, questions, templates, targets, calendars],
  ...[members, invitations],
]

const Query = Type.Object({ done: Type.Optional(stringEnum(doneKeys)) })
const Item = Type.Optional(Type.String({ pattern: '^(new|[1-9]\\d{0,9})$' }))
const ItemParams = Type.Object({ ...OrganizationParams.properties, item: Item, child: Item })

interface Sent {
  readonly values: FormValues
  readonly errors?: FieldErrors
}

/** The pages on which members set their organisation up. */
export const managePages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls, clock, maps } = services

  app.addHook('onRequest', requirePageLogin(urls, '/organizations/:id/manage'))
  addIdempotency(app, services, formIdempotencyKey)

  app.get('/organizations/:id/manage', { schema: { params: OrganizationParams, querystring: Query } }, async (request, reply) => {
    const context = await authorize(request, 'read_issues')
    const may = (capability: Capability) => mayIn(requireViewer(request), capability, request.params.id)
    const allowed = parts.filter((part) => !isChild(part) && may(part.capability)).map(({ name }) => name)
    const owned = may('manage_organization') ? (['area', 'webhooks'] as const) : []
    const page = contentsPage([...allowed, ...owned], context, request.query.done)
    return sendPrivatePage(request, reply, urls, page)
  })

  for (const part of parts) addPart(part)

  function addPart(part: Part<Row>): void {
    const list = `/organizations/:id/manage/${part.path}`
    const form = part.isSingle ? list : `${list}/:${isChild(part) ? 'child' : 'item'}`

    if (!part.isSingle)
      app.get(list, { schema: { params: ItemParams, querystring: Query } }, async (request, reply) => {
        const context = await authorize(request, part.capability)
        if (isChild(part)) return seeOther(reply, urls, listPath(part, context))
        return sendPrivatePage(request, reply, urls, listPage(part, await part.list(context), context, request.query.done))
      })

    app.get(form, { schema: { params: ItemParams, querystring: Query } }, async (request, reply) =>
      sendForm(request, reply, part, { done: request.query.done }),
    )

    app.post(form, { schema: { params: ItemParams } }, async (request, reply) => {
      const context = await authorize(request, part.capability)
      const values = toFormValues(request.body)
      const item = await findItem(part, request, context)
      const fields = await part.fields(context, item)
      const body = readForm(fields, values)
      const errors = bodyErrors(request, body, part.schema)
      // Names the control whose value alone has the error of a property with several controls.
      const locate = (found: typeof errors) =>
        Object.fromEntries(
          Object.entries(found).map(([name, error]) => {
            const ofControl = (field: FormField) => bodyErrors(request, readForm([field], values), part.schema)[name]
            return [fields.find((field) => field.path.startsWith(`${name}.`) && ofControl(field))?.path ?? name, error]
          }),
        )
      if (Object.keys(errors).length > 0)
        return sendForm(request, reply, part, { sent: { values, errors: translate(request, locate(errors)) } })
      return change(request, reply, part, part.saved ?? 'saved', async (tx) => {
        const current = item && (await part.list({ ...context, db: tx })).find(({ id }) => id === item.id)
        if (item && versionOf(fields, current) !== readText(values, 'version'))
          throw problems.invalid({ base: text('form_changed_meanwhile') })
        await part.save(tx, { ...context, db: tx }, item?.id, body)
      })
    })

    if (part.preview)
      app.post(`${form}/preview`, { config: { idempotency: false }, schema: { params: ItemParams } }, async (request, reply) =>
        sendForm(request, reply, part, { sent: { values: toFormValues(request.body) } }),
      )
    const steps = {
      ...(part.remove ? { remove: part.remove } : {}),
      ...(part.reorder ? { up: async (tx: Transaction, context: PartContext, id: number) => moveUp(part, tx, context, id) } : {}),
    }
    for (const [step, act] of Object.entries(steps))
      app.post(`${form}/${step}`, { schema: { params: ItemParams } }, async (request, reply) => {
        const context = await authorize(request, part.capability)
        const item = orNotFound(await findItem(part, request, context), 'the_resource')
        const isExit = part.name === 'members' && item.id === context.viewer.id
        return change(request, reply, part, step === 'up' ? 'moved' : isExit ? undefined : 'removed', (tx) =>
          act(tx, { ...context, db: tx }, item.id),
        )
      })
    for (const step of [...(part.preview ? ['preview'] : []), ...Object.keys(steps)])
      app.get(`${form}/${step}`, { schema: { params: ItemParams } }, async (request, reply) =>
        seeOther(reply, urls, request.url.split('?')[0]?.replace(/\/[^/]+$/, '') ?? '/'),
      )
  }

  async function change(
    request: FastifyRequest,
    reply: FastifyReply,
    part: Part<Row>,
    /** The caller has left the organisation if it is undefined. */
    done: DoneKey | undefined,
    work: (tx: Transaction) => Promise<void>,
  ) {
    const context = await authorize(request, part.capability)
    try {
      await idempotent(request, db, async (tx) => {
        await lockMemberships(tx)
        await lockOrganization(tx, context.organization.id)
        await work(tx)
        return { id: context.organization.id }
      })
    } catch (error) {
      const errors = translate(request, validationErrorsFrom(error))
      await releaseIdempotencyKey(request, db)
      return sendForm(request, reply, part, { sent: { values: toFormValues(request.body), errors } })
    }
    return seeOther(reply, urls, done ? `${listPath(part, context)}?done=${done}` : '/account')
  }

  /** Sends the form with the values of the row, or with those that were sent. */
  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    part: Part<Row>,
    { sent, done }: { readonly sent?: Sent; readonly done?: DoneKey | undefined },
  ) {
    const context = await authorize(request, part.capability)
    const item = await findItem(part, request, context)
    const fields = await part.fields(context, item)
    const isStep = sent !== undefined && !('version' in sent.values)
    const values = sent && !isStep ? sent.values : fillForm(fields, item ?? {})
    const body = readForm(fields, values)
    const isValid = Object.keys(bodyErrors(request, body, part.schema)).length === 0
    const children = item && part.child ? await listChildren(part.child, { ...context, parent: item.id }) : undefined
    const page = formPage(
      {
        ...{ part, item, fields, values, done, children, errors: sent?.errors ?? {}, formKey: newSecret() },
        version: sent && !isStep ? readText(sent.values, 'version') : versionOf(fields, item),
        preview: await part.preview?.(context, { item, body, isValid }),
      },
      context,
    )
    if (sent?.errors) void reply.code(422)
    return sendPrivatePage(request, reply, urls, { ...page, ...(part.preview ? { formModule: maps.path('form-preview.ts') } : {}) })
  }

  async function listChildren(child: Part<Row>, context: PartContext) {
    const heading = html`<h2>${context.texts(`manage.parts.${child.name}.title`)}</h2>`
    return html`${heading}${rowList(child, await child.list(context), context)}`
  }

  async function findItem(part: Part<Row>, request: FastifyRequest, context: PartContext) {
    const { item, child } = request.params as { readonly item?: string; readonly child?: string }
    const id = isChild(part) ? child : item
    if (id === 'new') return undefined
    const rows = await part.list(context)
    return orNotFound(
      rows.find((one) => part.isSingle || String(one.id) === id),
      'the_resource',
    )
  }

  /** @throws Problem 404 for an unknown organisation, 403 that names the missing capability */
  async function authorize(request: FastifyRequest, capability: Capability): Promise<PartContext> {
    const { id, item } = request.params as { readonly id: number; readonly item?: string }
    const viewer = requireViewer(request)
    await requireOrganizationCapability(db, id, viewer, capability)
    const { name, language: own } = await db.prisma.organization.findUniqueOrThrow({ where: { id } })
    const texts = pageTexts(request)
    const organization = { id, name, language: languageOf(own) }
    return {
      db,
      organization,
      parent: Number(item),
      viewer,
      now: clock(),
      texts,
      links: createLinks(urls),
    }
  }
}

/** A change by another member since the form was sent has another version. */
const versionOf = (fields: readonly FormField[], item: Row | undefined) =>
  item ? contentFingerprint([fillForm(fields, item), item.revision], 'form') : ''

async function moveUp(part: Part<Row>, tx: Transaction, context: PartContext, id: number): Promise<void> {
  const ids = (await part.list(context)).map((item) => item.id)
  const index = ids.indexOf(id)
  if (index > 0) ids.splice(index - 1, 2, id, ids[index - 1] ?? id)
  await part.reorder?.(tx, context, ids)
}

/** Errors of a document name the question. Its reader writes them in English. */
function translate(request: FastifyRequest, errors: Parameters<typeof translateErrors>[1]): FieldErrors {
  const translated = translateErrors(request, errors)
  return Object.fromEntries(
    Object.entries(translated).map(([name, error]) => {
      const isEnglish = [errors[name] ?? []].flat().some(({ code }) => code === 'document_error')
      return [name.replace(/^questions\[\d+\]\.?/, '') || 'base', isEnglish ? { ...error, language: 'en' } : error]
    }),
  )
}
