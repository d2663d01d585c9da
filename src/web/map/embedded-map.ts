import { html, type SafeHtml } from '../../html/template.ts'
import type { EmbeddedConfig } from './browser/config.ts'

/** Returns the drawn map, over which a script puts one that can be moved. Without scripts or WebGL the drawn one stays. */
export function embeddedMap(drawing: SafeHtml, config: EmbeddedConfig): SafeHtml {
  return html`<div class="page-map" data-map="${JSON.stringify(config)}">${drawing}</div>`
}
