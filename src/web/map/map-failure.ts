import { html } from '../../html/template.ts'

/** The place for the message of a page that its map or its list could not be loaded. */
export const mapFailure = html`<p id="map-failure" class="error-summary" role="alert" hidden></p>`
