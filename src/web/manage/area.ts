import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MultiPolygon } from 'geojson'
import { readFile } from 'node:fs/promises'

import { problems, orNotFound } from '../../errors/problems.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { createForm, formErrors, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { requirePageLogin, seeOther } from '../../html/links.ts'
import { html } from '../../html/template.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { Upload } from '../../http/request/upload.ts'
import { DocumentErrors } from '../../imports/organizations/document-errors.ts'
import { readArea as readAreaFile } from '../../imports/organizations/organization-area.ts'
import { text } from '../../locales/texts.ts'
import { changeSettings, readOrganizationArea, findOrganization } from '../../organizations/settings.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import { readWatchedArea } from '../../watch-areas/area-input.ts'
import type { WebServices } from '../map/page-maps.ts'
import { areaFields, drawPage, readArea } from '../watch-areas/area-form.ts'
import { areaFormLoader, toShape } from '../watch-areas/area-form-data.ts'
import { managePath } from './part-page.ts'

const PATH = '/organizations/:id/manage/area'
/** 10,000 positions with spaces and names of other properties are shorter. */
const FILE_BYTES_MAX = 5_000_000

/** The area of an organisation on the map, as the drawing page of watch areas has it, and from a file. */
export const areaPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, links, urls, areas, maps } = services
  const loadAreaForm = areaFormLoader(services)

  app.addHook('onRequest', requirePageLogin(urls, '/organizations/:id/manage'))

  const schema = { params: OrganizationParams }
  app.get(PATH, { schema }, async (request, reply) => sendForm(request, reply))
  app.post(PATH, { config: { files: ['file'], reportsLargeFiles: true }, schema }, async (request, reply) => {
    const { id } = request.params
    await requireOrganizationCapability(db, id, requireViewer(request), 'manage_organization')
    const values = toFormValues(request.body)
    let sent = readArea(values)
    try {
      if (request.largeFiles.length > 0) throw fileTooLarge()
      if (values['file'] instanceof Upload) sent = { area: await readPolygons(values['file']) }
      const watched = await readWatchedArea(sent, areas)
      const shape = toShape(watched)
      if (!shape) throw problems.invalid({ area: text('must_be', { allowed: text('geojson_polygon') }) })
      const polygon = await readOrganizationArea(shape, areas)
      await db.transaction((tx) => changeSettings(tx, id, {}, polygon))
    } catch (error) {
      const errors = translateErrors(request, { ...formErrors(request), ...validationErrorsFrom(error) })
      return sendForm(request, reply.code(422), { sent, errors })
    }
    return seeOther(reply, urls, `${managePath(id)}?done=saved`)
  })

  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { sent, errors = {} }: { readonly sent?: Record<string, string>; readonly errors?: FieldErrors } = {},
  ) {
    const { id } = request.params as { readonly id: number }
    await requireOrganizationCapability(db, id, requireViewer(request), 'manage_organization')
    const organization = orNotFound(await findOrganization(db, id), 'the_organization')
    const texts = pageTexts(request)
    const stored = { area: JSON.stringify(organization.area) }
    const { form } = await loadAreaForm(sent && Object.keys(sent).length > 0 ? sent : stored, texts.language)
    const [path, title] = [links.to(managePath(id)), texts('manage.parts.area.title')]
    const area = { ...form, places: [], errors }
    const areaForm = createForm(texts.language, { errors })
    const fields = html`${areaFields(area, areaForm, links, texts)}
      ${areaForm.input('file', texts('manage.area.file'), { type: 'file', accept: '.json,.geojson,application/geo+json', hint: texts('manage.area.fileHint') })}`
    const panel = html`<p class="trail"><a href="${path}">${texts('manage.title', { organization: organization.name })}</a></p>
      <h1>${title}</h1>
      ${areaForm.errorSummary()}
      <form method="post" enctype="multipart/form-data" action="${path}/area" data-area-form>
        ${fields}
        <div data-forecast hidden></div>
        <p class="point-continue"><button>${texts('manage.save')}</button></p>
      </form>`
    return sendPrivatePage(request, reply, urls, {
      title: `${title} · ${organization.name}`,
      description: texts('manage.description'),
      map: await maps.draw(),
      body: drawPage(area, panel, links, texts),
    })
  }
}

const fileTooLarge = () => problems.invalid({ file: text('file_too_large', { size: FILE_BYTES_MAX / 1_000_000 }) })

/** Returns the polygons of a GeoJSON file. Features of a collection are parts of the area. */
async function readPolygons(file: Upload): Promise<string> {
  if (file.bytes > FILE_BYTES_MAX) throw fileTooLarge()
  const content = await readFile(file.path, 'utf8')
  try {
    const errors = new DocumentErrors()
    const parts = readAreaFile(JSON.parse(content), 'area', errors)
    errors.throwProblem()
    const coordinates = parts.flatMap(({ geometry }) => (JSON.parse(geometry) as MultiPolygon).coordinates)
    return JSON.stringify({ type: 'MultiPolygon', coordinates })
  } catch {
    // The check of the area says what is wrong.
    return content
  }
}
