import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { type Choice, type FieldErrors, inputField, selectField, type SummaryField } from '../../html/fields.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { NAME_MAX } from '../../watch-areas/schema.ts'
import { toChoices } from './describe-watch.ts'

export type SettingsValues = Readonly<Record<'name' | 'frequency' | 'about', string>>

export const settingsSummaryFields = (texts: Texts): readonly SummaryField[] => [
  ['name', texts('watch.name')],
  ['frequency', texts('watch.frequency')],
  ['about', texts('watch.about')],
]

interface Settings {
  readonly values: SettingsValues
  readonly errors: FieldErrors
  /** The value is undefined without an area. */
  readonly forecast: string | undefined
  readonly language: Language
}

/** Frequency, content and name, the forecast, and the button that shows it. */
export function settingsFields({ values, errors, forecast, language }: Settings): SafeHtml {
  const texts = textsIn(language)
  const requiredSelect = (name: 'frequency' | 'about', label: string, choices: readonly Choice[]) =>
    selectField({ name, label, choices, value: values[name], hasDefault: true, required: true, error: errors[name], language })
  return html`${requiredSelect('frequency', texts('watch.frequency'), toChoices(texts.section('watch.frequencies')))}
    ${requiredSelect('about', texts('watch.about'), toChoices(texts.section('watch.abouts')))}
    ${inputField({
      ...{
        name: 'name',
        label: texts('watch.name'),
        hint: texts('watch.nameHint'),
        value: values.name,
        error: errors['name'],
        language,
      },
      maxlength: NAME_MAX,
    })}
    <div role="status" data-forecast>${forecast === undefined ? '' : html`<p class="done" id="forecast">${forecast}</p>`}</div>`
}
