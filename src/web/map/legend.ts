import { type Language, textsIn } from '../../locales/texts.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import { statuses } from '../../issue-lifecycle/status.ts'

/**
 * The legend on the map, which a phone folds.
 * @param selected statuses in lower case; the script of the map shows others when the filters change
 */
export function mapLegend(selected: readonly string[], language: Language): SafeHtml {
  const texts = textsIn(language)
  const entries = statuses.map((status) => {
    const name = status.toLowerCase()
    return html`<li class="${name}" data-status="${name}"${selected.includes(name) ? '' : html` hidden`}>${statusName(status, language)}</li>`
  })
  return html`<details class="map-legend"><summary>${texts('legend.label')}</summary>
    <ul class="legend" aria-label="${texts('legend.label')}">${entries}<li class="cluster">${texts('legend.cluster')}</li></ul></details>`
}
