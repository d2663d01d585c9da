import type { Language } from '../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import { statuses } from '../../issue-lifecycle/status.ts'

interface LegendTexts {
  readonly label: string
  /** The number in the circle is that of the issues, and the ring has the share of the open ones. */
  readonly cluster: string
}

const legendTexts: Readonly<Record<Language, LegendTexts>> = {
  en: { label: 'Legend', cluster: 'Several (ring: open)' },
  es: { label: 'Leyenda', cluster: 'Varios (anillo: abiertos)' },
  fr: { label: 'Légende', cluster: 'Plusieurs (anneau : ouverts)' },
}

/**
 * The legend on the map.
 * @param selected statuses in lower case; the script of the map shows others when the filters change
 */
export function mapLegend(selected: readonly string[], language: Language): SafeHtml {
  const texts = legendTexts[language]
  const entries = statuses.map((status) => {
    const name = status.toLowerCase()
    return html`<li class="${name}" data-status="${name}"${selected.includes(name) ? '' : html` hidden`}>${statusName(status, language)}</li>`
  })
  return html`<ul class="legend map-legend" aria-label="${texts.label}">${entries}<li class="cluster">${texts.cluster}</li></ul>`
}
