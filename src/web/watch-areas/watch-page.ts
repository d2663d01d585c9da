import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { errorSummary, type FieldErrors, hiddenField, inputField, selectField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { aboutChoices, frequencyChoices, formatDistance } from './watch-texts.ts'

export interface WatchPage {
  /** Description of the area; undefined if none is chosen yet. */
  readonly what: string | undefined
  readonly map: SafeHtml | undefined
  readonly forecast: string | undefined
  readonly feeds: { readonly title: string; readonly atom: string; readonly geojson: string } | undefined
  readonly area: Readonly<Record<string, string>>
  readonly values: Readonly<Record<'name' | 'frequency' | 'about' | 'radius', string>>
  readonly errors: FieldErrors
  /** Path to return to after the login; undefined if the viewer is logged in. */
  readonly return_to: string | undefined
}

const RADII_M = [100, 250, 500, 1_000, 2_000, 5_000, 10_000]
const FIELD_NAMES = ['name', 'frequency', 'about', 'radius']

/** One form with two buttons: the first shows the forecast and changes nothing, the second saves. */
export function watchPage(links: Links, page: WatchPage): HtmlPage {
  const { what, errors, feeds } = page
  return {
    title: what === undefined ? 'Watch an area' : `Watch ${what}`,
    description: 'Mails, a list and feeds about issues in an area: a city, or the streets around you.',
    ...(feeds ? { feed: { title: feeds.title, href: feeds.atom } } : {}),
    body: html`<h1>${what === undefined ? 'Watch an area' : `Watch ${what}`}</h1>
      ${errorSummary(errors, FIELD_NAMES)}
      ${what === undefined ? emptyState(links) : watchForm(links, page)}`,
  }
}

const emptyState = ({ to }: Links) => html`<div class="narrow">
    <p>Choose an area first:</p>
    <ul>
      <li>a city or a county: choose it from <a href="${to('/places')}">the places</a>, then “Watch”;</li>
      <li>the streets around an issue: open the issue, then “Watch this area”.</li>
    </ul>
    <p class="quiet">Programs can watch any polygon: see <a href="${to('/docs')}">the API reference</a>.</p>
  </div>`

function watchForm({ to }: Links, { map, forecast, feeds, area, values, errors, return_to }: WatchPage): SafeHtml {
  const radii = RADII_M.map((metres) => ({ key: String(metres), name: formatDistance(metres) }))
  const radiusChoices = radii.some(({ key }) => key === values.radius)
    ? radii
    : [{ key: values.radius, name: `${values.radius} metres` }, ...radii]
  return html`<div class="two-columns">
    ${map ? html`<figure class="frame">${map}</figure>` : ''}
    <form action="${to('/watch')}">
      ${Object.entries(area).map(([name, value]) => (name === 'radius' ? '' : hiddenField(name, value)))}
      ${area['radius'] === undefined ? '' : requiredSelect('radius', 'Radius', radiusChoices, values.radius, errors)}
      ${requiredSelect('frequency', 'Frequency of mails', frequencyChoices, values.frequency, errors)}
      ${requiredSelect('about', 'Content', aboutChoices, values.about, errors)}
      ${inputField({
        name: 'name',
        label: 'Name',
        hint: 'It appears in your mails. Other users do not see it.',
        value: values.name,
        maxlength: 100,
        error: errors['name'],
      })}
      ${forecast === undefined ? '' : html`<p class="done" role="status" id="forecast">${forecast}</p>`}
      <p><button class="second">Show the expected number of mails</button></p>
      ${
        return_to === undefined
          ? html`${hiddenField('form_key', newSecret())}<p><button formmethod="post">Watch this area</button></p>`
          : html`<p><a class="button primary" href="${to('/login', { return_to })}">Log in</a> or
              <a href="${to('/register', { return_to })}">register</a> to watch it.</p>`
      }
    </form>
  </div>
  ${
    feeds
      ? html`<p class="quiet">Follow it without an account: <a href="${feeds.atom}">feed</a> ·
          <a href="${feeds.geojson}">GeoJSON for a map</a></p>`
      : ''
  }`
}

const requiredSelect = (
  name: string,
  label: string,
  choices: readonly { key: string; name: string }[],
  value: string,
  errors: FieldErrors,
) => selectField({ name, label, choices, value, hasDefault: true, required: true, error: errors[name] })
