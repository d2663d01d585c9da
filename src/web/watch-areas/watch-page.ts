import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { type Choice, errorSummary, type FieldErrors, hiddenField, inputField, selectField } from '../../html/fields.ts'
import type { Point } from '../../geo/point.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { formatDistance } from '../../html/local-format.ts'
import { toChoices } from './describe-watch.ts'
import { watchTexts, type WatchTexts } from './watch-texts.ts'

export interface WatchPage {
  /** Description of the area; undefined if none is chosen yet. */
  readonly what: string | undefined
  readonly map: SafeHtml | undefined
  /** Set for a circle. */
  readonly centre: Point | undefined
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
export function watchPage(links: Links, page: WatchPage, language: Language): HtmlPage {
  const { what, errors, feeds } = page
  const texts = watchTexts[language]
  const title = what === undefined ? texts.title : texts.watch(what)
  return {
    title,
    description: texts.description,
    language,
    ...(feeds ? { feed: { title: feeds.title, href: feeds.atom } } : {}),
    body: html`<h1>${title}</h1>
      ${errorSummary(errors, FIELD_NAMES, language)}
      ${what === undefined ? emptyState(links, texts) : watchForm(links, page, texts, language)}`,
  }
}

const emptyState = ({ to }: Links, texts: WatchTexts) => html`<div class="narrow">
    <p>${texts.choose}</p>
    <ul>
      <li>${texts.chooseCity((text) => html`<a href="${to('/places')}">${text}</a>`)}</li>
      <li>${texts.chooseIssue}</li>
    </ul>
    <p class="quiet">${texts.programs((text) => html`<a href="${to('/docs')}">${text}</a>`)}</p>
  </div>`

function watchForm({ to }: Links, page: WatchPage, texts: WatchTexts, language: Language): SafeHtml {
  const { map, centre, forecast, feeds, area, values, errors, return_to } = page
  const radii = RADII_M.map((metres) => ({ key: String(metres), name: formatDistance(metres, language, centre) }))
  const radiusChoices = radii.some(({ key }) => key === values.radius)
    ? radii
    : [{ key: values.radius, name: formatRadius(values.radius, language, centre) }, ...radii]
  const requiredSelect = (name: 'radius' | 'frequency' | 'about', label: string, choices: readonly Choice[]) =>
    selectField({ name, label, choices, value: values[name], hasDefault: true, required: true, error: errors[name], language })
  return html`<div class="two-columns">
    ${map ? html`<figure class="frame">${map}</figure>` : ''}
    <form action="${to('/watch')}">
      ${Object.entries(area).map(([name, value]) => (name === 'radius' ? '' : hiddenField(name, value)))}
      ${area['radius'] === undefined ? '' : requiredSelect('radius', texts.radius, radiusChoices)}
      ${requiredSelect('frequency', texts.frequency, toChoices(texts.frequencies))}
      ${requiredSelect('about', texts.about, toChoices(texts.abouts))}
      ${inputField({
        name: 'name',
        label: texts.name,
        hint: texts.nameHint,
        value: values.name,
        maxlength: 100,
        error: errors['name'],
        language,
      })}
      ${forecast === undefined ? '' : html`<p class="done" role="status" id="forecast">${forecast}</p>`}
      <p><button class="second">${texts.showForecast}</button></p>
      ${
        return_to === undefined
          ? html`${hiddenField('form_key', newSecret())}<p><button formmethod="post">${texts.watchThis}</button></p>`
          : html`<p>${texts.logIn(
              (text) => html`<a class="button primary" href="${to('/login', { return_to })}">${text}</a>`,
              (text) => html`<a href="${to('/register', { return_to })}">${text}</a>`,
            )}</p>`
      }
    </form>
  </div>
  ${feeds ? html`<p class="quiet">${texts.feeds(link(feeds.atom), link(feeds.geojson))}</p>` : ''}`
}

const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`

/** An invalid radius is shown as it was sent. */
const formatRadius = (radius: string, language: Language, centre: Point | undefined) =>
  Number.isFinite(Number(radius)) ? formatDistance(Number(radius), language, centre) : radius
