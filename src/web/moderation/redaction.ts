import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { Problem, problems } from '../../errors/problems.ts'
import {
  formIdempotencyKey,
  type FormValues,
  toFormValues,
  translateErrors,
  validationErrorsFrom,
  readText,
} from '../../html/form.ts'
import { type FieldErrors, hiddenField } from '../../html/fields.ts'
import { sendPrivatePage, pageTitles } from '../../html/page.ts'
import { requirePageLogin, seeOther } from '../../html/links.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { addIdempotency, releaseIdempotencyKey, idempotent, storedResult } from '../../http/idempotency/idempotency.ts'
import { Id } from '../../http/schema/fields.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { requireModerator } from '../../moderation/parse-decision.ts'
import {
  parseBoxes,
  boxFields,
  BOXES_MAX,
  redactPicture,
  type RedactionResult,
  findPicture,
  type Picture,
} from '../../moderation/redact-picture.ts'
import type { Services } from '../../services.ts'
import { text, type Texts } from '../../locales/texts.ts'
import { html, type SafeHtml } from '../../html/template.ts'

const PictureParams = Type.Object({ name: Type.String({ pattern: '^[0-9a-f]{40}\\.(jpg|png|gif)$' }) })
const ReturnQuery = Type.Object({ item: Type.Optional(Id), issue: Type.Optional(Id) })
const schema = { params: PictureParams, querystring: ReturnQuery }

/** Pages where a moderator covers parts of a picture. They have the name of the picture, so they end when it gets a new one. */
export const redactionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, links, urls } = services

  app.addHook('onRequest', requirePageLogin(urls))
  app.addHook('onRequest', async (request) => void requireModerator(request))
  addIdempotency(app, services, formIdempotencyKey)

  // The handler of the application renders what this one throws. A picture gets another address when it is redacted, by another moderator too.
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    const { item, issue } = toFormValues(request.query)
    const link = (path: string, id: unknown) => (typeof id === 'number' ? links.to(`${path}/${id}`) : undefined)
    const texts = pageTexts(request)
    const back = (href: string | undefined, name: string) =>
      href ? html`<p><a class="button primary" href="${href}">${name}</a></p>` : ''
    return sendPrivatePage(request, reply.code(404), urls, {
      ...pageTitles(texts, 'redaction.gone.title', 'redaction.gone.hint'),
      body: html`<section class="hero"><h1>${texts('redaction.gone.title')}</h1>
      <p>${texts('redaction.gone.hint')}</p>
      ${back(link('/moderation', item), texts('redaction.gone.toItem'))}
      ${back(link('/issues', issue), texts('redaction.gone.toIssue'))}
    </section>`,
    })
  })

  app.get('/moderation/pictures/:name', { schema }, async (request, reply) => {
    const { params, query } = request
    return sendForm(request, reply, await requirePicture(request, params.name), { query })
  })

  app.post('/moderation/pictures/:name', { schema }, async (request, reply) => {
    const { params, query } = request
    const stored = storedResult<RedactionResult>(request)
    if (stored) return seeOther(reply, urls, returnPath(stored, query.item))
    const picture = await requirePicture(request, params.name)
    try {
      const result = await redactPicture(services, {
        picture,
        boxes: parseBoxes(request.body),
        moderator_id: requireModerator(request).id,
        request_id: request.id,
        folder: await (request.uploadFolder ??= app.createUploadFolder(request)),
        inTransaction: (work) => idempotent(request, db, work),
      })
      return await seeOther(reply, urls, returnPath(result, query.item))
    } catch (error) {
      const errors = translateErrors(request, validationErrorsFrom(error))
      await releaseIdempotencyKey(request, db)
      return sendForm(request, reply.code(422), picture, { query, values: toFormValues(request.body), errors })
    }
  })

  /** @throws Problem 404; 403 for the moderator's own picture, and for those of issues of others */
  async function requirePicture(request: FastifyRequest, name: string): Promise<Picture> {
    const picture = await findPicture(db, `pictures/${name.slice(0, 2)}/${name}`, requireModerator(request))
    if (!picture) throw problems.notFound('the_picture')
    if (picture.is_own) throw problems.notPermitted(OWN_TEXT)
    if (!picture.may_redact) throw problems.notPermitted(text('capability_missing', { capability: 'moderate' }))
    return picture
  }

  interface Form {
    readonly query: Static<typeof ReturnQuery>
    readonly values?: FormValues
    readonly errors?: FieldErrors
  }

  function sendForm(request: FastifyRequest, reply: FastifyReply, picture: Picture, { query, values = {}, errors = {} }: Form) {
    const texts = pageTexts(request)
    const name = picture.full_key.slice(picture.full_key.lastIndexOf('/') + 1)
    const hasErrors = Object.keys(errors).length > 0
    // The form works without its script, which draws boxes on the picture and fills in the same fields.
    return sendPrivatePage(request, reply, urls, {
      ...pageTitles(texts, 'redaction.title', 'redaction.description'),
      script: 'redact.js',
      body: html`<h1>${texts('redaction.title')}</h1>
      <p class="text">${texts('redaction.explanation')}</p>
      ${hasErrors ? html`<div class="error-summary" role="alert"><p><b>${texts('redaction.errors')}</b></p>${errorText(errors['boxes'])}</div>` : ''}
      <form method="post" action="${links.to(`/moderation/pictures/${name}`, query)}" data-redact>
        ${hiddenField('form_key', newSecret())}
        <p class="quiet" data-drawing hidden>${texts('redaction.drawing')}</p>
        <div class="redaction"><img src="${links.to(`/files/${picture.full_key}`)}" width="${picture.width}" height="${picture.height}" alt="${texts('redaction.picture')}"></div>
        <p><button type="button" class="second" data-add hidden>${texts('redaction.addBox')}</button></p>
        <fieldset class="boxes"><legend>${texts('redaction.boxes')}</legend>
          <p class="quiet">${texts('redaction.unit')}</p>
          ${boxRows(values, errors, texts)}
        </fieldset>
        <p><button>${texts('redaction.submit')}</button></p>
      </form>
      <p><a href="${links.to(returnPath(picture, query.item))}">${texts('redaction.back')}</a></p>`,
    })
  }
}

const returnPath = ({ issue_id }: RedactionResult, item: number | undefined) =>
  item === undefined ? `/issues/${issue_id}` : `/moderation/${item}`

/** Shows the rows that have a box and an empty one; the others are in a section that opens. */
function boxRows(values: FormValues, errors: FieldErrors, texts: Texts): SafeHtml {
  const numbers = Array.from({ length: BOXES_MAX }, (_, index) => index + 1)
  const isFilled = (number: number) =>
    errors[`box_${number}`] !== undefined ||
    Object.values(toFormValues(toFormValues(values['boxes'])[String(number)])).some((value) => value !== '')
  const filled = numbers.filter(isFilled)
  const [next, ...others] = numbers.filter((number) => !isFilled(number))
  const row = (number: number) => boxRow(number, values, errors, texts)
  return html`${filled.map(row)}${next === undefined ? '' : row(next)}${
    others.length === 0
      ? ''
      : html`<details data-more-boxes><summary>${texts('redaction.moreBoxes')}</summary>${others.map(row)}</details>`
  }`
}

function boxRow(number: number, values: FormValues, errors: FieldErrors, texts: Texts): SafeHtml {
  const row = toFormValues(toFormValues(values['boxes'])[String(number)])
  const error = errors[`box_${number}`]
  const inputs = boxFields.map(
    (name) => html`<label>${texts(`redaction.fields.${name}`)}
      <input type="number" name="boxes[${number}][${name}]" min="0" max="100" step="any" inputmode="decimal"
        value="${readText(row, name)}"${error ? html` aria-invalid="true" aria-describedby="box-${number}-error"` : ''}></label>`,
  )
  return html`<fieldset data-box="${number}"><legend>${texts('redaction.box', { number })}</legend>
    ${inputs}${error ? html`<div id="box-${number}-error">${errorText(error)}</div>` : ''}</fieldset>`
}

const errorText = (error: FieldErrors[string] | undefined): SafeHtml | string =>
  error ? html`<p class="field-error" lang="${error.language}">${error.texts.join(', ')}</p>` : ''
