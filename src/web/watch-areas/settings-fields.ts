import type { Texts } from '../../locales/texts.ts'
import type { Choice } from '../../html/fields.ts'
import type { Form } from '../../html/form.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { NAME_MAX } from '../../watch-areas/schema.ts'
import { toChoices } from './describe-watch.ts'

export type SettingsValues = Readonly<Record<'name' | 'frequency' | 'about', string>>

interface Settings {
  readonly form: Form
  readonly values: SettingsValues
  /** The value is undefined without an area. */
  readonly forecast: string | undefined
  readonly texts: Texts
}

/** Frequency, content and name, the forecast, and the button that shows it. */
export function settingsFields({ form, values, forecast, texts }: Settings): SafeHtml {
  const requiredSelect = (name: 'frequency' | 'about', label: string, choices: readonly Choice[]) =>
    form.select(name, label, { choices, value: values[name], hasDefault: true, required: true })
  return html`${requiredSelect('frequency', texts('watch.frequency'), toChoices(texts.section('watch.frequencies')))}
    ${requiredSelect('about', texts('watch.about'), toChoices(texts.section('watch.abouts')))}
    ${form.input('name', texts('watch.name'), { hint: texts('watch.nameHint'), value: values.name, maxlength: NAME_MAX })}
    <div role="status" data-forecast>${forecast === undefined ? '' : html`<p class="done" id="forecast">${forecast}</p>`}</div>`
}
