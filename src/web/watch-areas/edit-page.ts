import { type Language, textsIn } from '../../locales/texts.ts'
import { createForm } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage, PageMap } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { areaFields, type AreaForm, drawPage } from './area-form.ts'
import { settingsFields, type SettingsValues } from './settings-fields.ts'

export interface EditPage {
  readonly id: number
  readonly title: string
  readonly form: AreaForm
  readonly values: SettingsValues
  readonly forecast: string | undefined
  readonly map: PageMap
}

export function editPage(
  links: Links,
  { id, title, form: areaForm, values, forecast, map }: EditPage,
  language: Language,
): HtmlPage {
  const texts = textsIn(language)
  const heading = texts('draw.editTitle', { area: title })
  const list = links.to('/account/watch-areas')
  const form = createForm(language, { errors: areaForm.errors })
  const fields = html`${areaFields(areaForm, form, links, language)}
      ${settingsFields({ form, values, forecast, language })}`
  const panel = html`<p><a href="${list}">${texts('addresses.back')}</a></p>
    <h1>${heading}</h1>
    ${form.errorSummary()}
    <form method="post" action="${list}/${id}" data-area-form>
      ${fields}
      <p><button class="second" formaction="${list}/${id}/forecast" formnovalidate data-show-forecast>${texts('watch.showForecast')}</button></p>
      <p class="point-continue"><button>${texts('draw.save')}</button></p>
    </form>`
  return {
    title: heading,
    description: texts('watchAreas.description'),
    language,
    map,
    body: drawPage(areaForm, panel, links, language),
  }
}
