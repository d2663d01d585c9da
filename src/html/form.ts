import type { Language } from '../locales/texts.ts'
import {
  type CheckboxField,
  checkboxField,
  errorSummary,
  type FieldErrors,
  type InputField,
  inputField,
  type SelectField,
  selectField,
  type SummaryField,
  type TextareaField,
  textareaField,
} from './fields.ts'
import { type FormValues, readText } from './form-input.ts'
import type { SafeHtml } from './template.ts'

type Label = string | SafeHtml
/** The options of a field that the form sets. */
type Known = 'name' | 'label' | 'language'

export interface FormState {
  readonly values?: FormValues
  readonly errors?: FieldErrors
}

type CheckboxOptions = Partial<Omit<CheckboxField, Known>> & { readonly summaryLabel?: string }

export type Form = ReturnType<typeof createForm>

/** Returns the fields of a form, each with its value and its error. A value in the options precedes that of the form. */
export function createForm(language: Language, { values = {}, errors = {} }: FormState = {}) {
  const fields: SummaryField[] = []
  const known = (name: string, label: Label, id = name) => {
    fields.push([name, label, id])
    return { name, label, error: errors[name], language }
  }
  const filled = (name: string, label: Label, id?: string) => ({ ...known(name, label, id), value: readText(values, name) })
  return {
    errors,
    input: (name: string, label: Label, options: Omit<InputField, Known> = {}) =>
      inputField({ ...filled(name, label, options.id), ...options }),
    textarea: (name: string, label: Label, options: Omit<TextareaField, Known> = {}) =>
      textareaField({ ...filled(name, label, options.id), ...options }),
    select: (name: string, label: Label, options: Omit<SelectField, Known>) =>
      selectField({ ...filled(name, label, options.id), ...options }),
    /** @param options `summaryLabel` is a shorter label for the summary */
    checkbox: (name: string, label: Label, { summaryLabel, ...options }: CheckboxOptions = {}) =>
      checkboxField({ ...known(name, summaryLabel ?? label), label, checked: readText(values, name) === 'true', ...options }),
    /** Lists the errors, with links to the fields. Call it after all fields. */
    errorSummary: () => errorSummary(errors, fields, language),
  }
}
