import { discardDraft, findDraftKey, loadValue, REPORT_STORES, saveValue } from './device-store.ts'
import { setFiles } from './file-field.ts'
import { savePhotos } from './photo-store.ts'

/* The forms of reports are stored on the device while they are filled in, each by its point, with the type. */

type Values<Value extends string | File> = readonly (readonly [name: string, value: Value])[]

/** Files are stored apart from texts, because they are too large to be stored with each letter. */
export interface DeviceDraft {
  /** Path and query of the form. */
  readonly url: string
  readonly fields: Values<string>
  readonly title: string
  /** The first text of the form. */
  readonly text: string
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Restores what was filled into this form before, and stores what is filled in from now on.
 * @param isAnswer true if the form came back with errors and what was sent
 * @param isMoved true if the user has only chosen another spot
 */
export async function keepDraft(form: HTMLFormElement, isAnswer: boolean, isMoved: boolean): Promise<void> {
  const section = form.querySelector<HTMLElement>('[data-device-draft]')
  // A slow connection loads this script after the first letters.
  let isTouched = isFilled(form)
  const show = (text: string, hasDraft: boolean) => showSection(section, text, hasDraft)
  for (const type of ['input', 'change']) {
    form.addEventListener(type, ({ target }) => {
      if ((target as Field).type === 'file') void saveFiles(form)
      isTouched = true
      void saveDraft(form)
      show(section?.dataset['kept'] ?? '', true)
    })
  }
  const [draft, files] = await Promise.all([
    loadValue<DeviceDraft>('drafts', formKey(form)),
    loadValue<Values<File>>('files', formKey(form)),
  ])
  // A form that came back has the texts that were sent, but no files.
  if (files) writeFiles(form, files)
  const isRestored = draft !== undefined && !isAnswer
  // Another spot has another address.
  if (isRestored) writeFields(form, isMoved ? draft.fields.filter(([name]) => name !== 'address') : draft.fields)
  if (isTouched || isMoved) void saveDraft(form)
  if (isTouched) void saveFiles(form)
  show(section?.dataset[isRestored ? 'restored' : 'kept'] ?? '', isTouched || draft !== undefined)
  section?.querySelector('[data-discard]')?.addEventListener('click', () => {
    void savePhotos([]).then(() => discardDraft(formKey(form)))
    form.reset()
    show(section.dataset['discarded'] ?? '', false)
  })
}

export async function saveDraft(form: HTMLFormElement): Promise<void> {
  const texts = [...form.querySelectorAll<HTMLInputElement>('input[type=text], textarea')].map(({ value }) => value.trim())
  const draft = {
    url: formUrl(form),
    title: document.querySelector('h1')?.textContent ?? '',
    text: texts.find((text) => text !== '') ?? '',
    fields: readFields(form),
  }
  await saveValue<DeviceDraft>('drafts', draft, formKey(form))
}

async function saveFiles(form: HTMLFormElement): Promise<void> {
  const files = listFileFields(form).flatMap((field) => [...(field.files ?? [])].map((file) => [field.name, file] as const))
  await saveValue<Values<File>>('files', files, formKey(form))
}

/** Returns true if the user has only chosen another spot for a report, whose texts and pictures this form takes. */
export async function takeMovedDraft(form: HTMLFormElement): Promise<boolean> {
  const [before, key] = [findDraftKey(), formKey(form)]
  if (before === key || !(await loadValue('drafts', before))) return false
  for (const name of REPORT_STORES) await saveValue(name, await loadValue(name, before), key)
  await discardDraft(before)
  return true
}

function showSection(section: HTMLElement | null, text: string, hasDraft: boolean): void {
  if (!section) return
  const status = section.querySelector('[role=status]') as HTMLElement
  section.hidden = false
  // A screen reader announces each change of the text, and no repetition of it.
  if (status.textContent !== text) status.textContent = text
  section.querySelector('[data-discard]')?.toggleAttribute('hidden', !hasDraft)
}

const hiddenValue = (form: HTMLFormElement, name: string) => (form.elements.namedItem(name) as HTMLInputElement).value

export const formKey = (form: HTMLFormElement): string => `${hiddenValue(form, 'lat')}/${hiddenValue(form, 'lng')}`

function formUrl(form: HTMLFormElement): string {
  const query = new URLSearchParams({
    lat: hiddenValue(form, 'lat'),
    lng: hiddenValue(form, 'lng'),
    type: hiddenValue(form, 'request_type_id'),
  })
  return `${new URL(form.action).pathname}?${query.toString()}`
}

const listFields = (form: HTMLFormElement) =>
  [...form.elements].filter((element): element is Field => {
    const { name, type } = element as Field
    return name !== '' && !['hidden', 'file', 'button', 'submit'].includes(type)
  })

const isBox = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio'

const isFilled = (form: HTMLFormElement): boolean =>
  listFields(form).some(isChanged) || listFileFields(form).some(({ files }) => files?.length)

function isChanged(field: Field): boolean {
  // The first option is selected if no other is.
  if (field instanceof HTMLSelectElement)
    return [...field.options].some(({ selected, defaultSelected, index }) => selected && !defaultSelected && index > 0)
  return isBox(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue
}

const readFields = (form: HTMLFormElement): Values<string> =>
  listFields(form).flatMap((field) => (isBox(field) && !field.checked ? [] : [[field.name, field.value] as const]))

/** Fields that the user has filled in meanwhile keep their values. */
function writeFields(form: HTMLFormElement, fields: Values<string>): void {
  const changed = new Set(listFields(form).flatMap((field) => (isChanged(field) ? [field.name] : [])))
  for (const field of listFields(form).filter(({ name }) => !changed.has(name))) {
    const values = fields.flatMap(([name, value]) => (name === field.name ? [value] : []))
    if (isBox(field)) field.checked = values.includes(field.value)
    else if (values[0] !== undefined) field.value = values[0]
  }
}

/** The field that takes several files belongs to the section of pictures, which stores them from the start of the report. */
const listFileFields = (form: HTMLFormElement) => [
  ...form.querySelectorAll<HTMLInputElement>('input[type=file][name]:not([multiple])'),
]

function writeFiles(form: HTMLFormElement, fields: Values<File>): void {
  for (const field of listFileFields(form)) {
    const files = fields.flatMap(([name, file]) => (name === field.name ? [file] : []))
    if (files.length > 0 && !field.files?.length) setFiles(field, files)
  }
}
