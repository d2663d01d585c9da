import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'

/** Says to administrators what to do if the maps have no streets. */
export const streetsNotice = (texts: Texts): SafeHtml =>
  html`<section class="empty" aria-labelledby="streets-notice-name">
    <h2 id="streets-notice-name">${texts('map.noStreets.heading')}</h2>
    <p>${texts('map.noStreets.text')}</p>
    <pre tabindex="0"><code>npm run basemap -- city.pmtiles
npm run basemap -- openfreemap</code></pre>
    <p class="quiet">${texts('map.noStreets.help')}</p>
  </section>`
