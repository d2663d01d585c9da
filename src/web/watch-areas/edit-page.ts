import type { Language } from '../../errors/texts/languages.ts'
import { errorSummary } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage, PageMap } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { addressesTexts } from './addresses-texts.ts'
import { areaFieldNames, areaFields, type AreaForm, drawPage } from './area-form.ts'
import { drawTexts } from './draw-texts.ts'
import { settingsFieldNames, settingsFields, type SettingsValues } from './settings-fields.ts'
import { watchAreasTexts } from './watch-areas-texts.ts'
import { watchTexts } from './watch-texts.ts'

export interface EditPage {
  readonly id: number
  readonly title: string
  readonly form: AreaForm
  readonly values: SettingsValues
  readonly forecast: string | undefined
  readonly map: PageMap
}

export function editPage(links: Links, { id, title, form, values, forecast, map }: EditPage, language: Language): HtmlPage {
  const texts = drawTexts[language]
  const heading = texts.editTitle(title)
  const list = links.to('/account/watch-areas')
  const panel = html`<p><a href="${list}">${addressesTexts[language].back}</a></p>
    <h1>${heading}</h1>
    ${errorSummary(form.errors, [...areaFieldNames, ...settingsFieldNames], language)}
    <form method="post" action="${list}/${id}" data-area-form>
      ${areaFields(form, links, language)}
      ${settingsFields({ values, errors: form.errors, forecast, language })}
      <p><button class="second" formaction="${list}/${id}/forecast" formnovalidate data-show-forecast>${watchTexts[language].showForecast}</button></p>
      <p class="point-continue"><button>${texts.save}</button></p>
    </form>`
  return {
    title: heading,
    description: watchAreasTexts[language].description,
    language,
    map,
    body: drawPage(form, panel, links, language),
  }
}
