import { loadValue, saveValue } from './device-store.ts'
import { setFiles } from './file-field.ts'
import { savePhotos } from './photo-store.ts'

/* A report's form is stored on the device while it is filled in, with the type and the point. */

/** Texts are stored apart from files, which are too large to be stored with each letter. */
interface DeviceDraft<Value extends string | File> {
  /** Path and query of the form. */
  readonly url: string
  readonly fields: readonly (readonly [name: string, value: Value])[]
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Restores what was filled into this form before, and stores what is filled in from now on.
 * @param isAnswer true if the form came back with errors and what was sent
 */
export async function keepDraft(form: HTMLFormElement, isAnswer: boolean): Promise<void> {
  const section = findSection(form)
  // A slow connection loads this script after the first letters.
  let isTouched = isFilled(form)
  const show = (text: string, hasDraft: boolean) => showSection(section, { text, hasDraft })
  for (const type of ['input', 'change']) {
    form.addEventListener(type, ({ target }) => {
      // The first input also deletes the files of another report.
      if (!isTouched || (target as Field).type === 'file') void saveFiles(form)
      isTouched = true
      void saveDraft(form)
      show(section?.dataset['kept'] ?? '', true)
    })
  }
  const [draft, files] = await Promise.all([loadValue<DeviceDraft<string>>('drafts'), loadValue<DeviceDraft<File>>('files')])
  const isMoved = draft !== undefined && isMovedFrom(draft.url)
  // A form that came back has the texts that were sent, but no files.
  if (files && (files.url === formUrl(form) || isMoved)) writeFiles(form, files.fields)
  const isOther = draft !== undefined && draft.url !== formUrl(form) && !isMoved
  const isRestored = draft !== undefined && !isOther && !isAnswer
  // Another spot has another address.
  if (isRestored) writeFields(form, isMoved ? draft.fields.filter(([name]) => name !== 'address') : draft.fields)
  if (isRestored && isMoved) void saveDraft(form)
  const text = section?.dataset[isRestored ? 'restored' : isOther && !isTouched ? 'waiting' : 'kept'] ?? ''
  if (isTouched) {
    void saveDraft(form)
    void saveFiles(form)
    show(text, true)
  } else showSection(section, { text, hasDraft: draft !== undefined, continueAt: isOther ? draft.url : undefined })
  section?.querySelector('[data-discard]')?.addEventListener('click', () => {
    // The draft of another report is deleted without the fields and pictures of this one.
    const isOwn = !isOther || isTouched
    void discardDraft(isOwn)
    if (isOwn) form.reset()
    show(section.dataset['discarded'] ?? '', false)
  })
}

/** Offers the draft of a form that was not sent on the page where a report begins. */
export async function offerDraft(section: HTMLElement): Promise<void> {
  const draft = await loadValue<DeviceDraft<string>>('drafts')
  if (!draft) return
  showSection(section, { text: section.dataset['waiting'] ?? '', hasDraft: true, continueAt: draft.url })
  section.querySelector('[data-discard]')?.addEventListener('click', () => {
    void discardDraft(false)
    showSection(section, { text: section.dataset['discarded'] ?? '', hasDraft: false })
  })
}

export async function saveDraft(form: HTMLFormElement): Promise<void> {
  await saveValue<DeviceDraft<string>>('drafts', { url: formUrl(form), fields: readFields(form) })
}

async function saveFiles(form: HTMLFormElement): Promise<void> {
  const fields = listFileFields(form).flatMap(({ name, files }) => [...(files ?? [])].map((file) => [name, file] as const))
  await saveValue<DeviceDraft<File>>('files', { url: formUrl(form), fields })
}

export async function discardDraft(withPhotos: boolean): Promise<void> {
  await saveValue('drafts', undefined)
  await saveValue('files', undefined)
  if (withPhotos) await savePhotos([])
}

const findSection = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[data-device-draft]')

interface SectionState {
  readonly text: string
  readonly hasDraft: boolean
  readonly continueAt?: string | undefined
}

function showSection(section: HTMLElement | null, { text, hasDraft, continueAt }: SectionState): void {
  if (!section) return
  const status = section.querySelector('[role=status]') as HTMLElement
  const link = section.querySelector('[data-continue]') as HTMLAnchorElement
  const discard = section.querySelector('[data-discard]') as HTMLElement
  section.hidden = false
  // A screen reader announces each change of the text, and no repetition of it.
  if (status.textContent !== text) status.textContent = text
  link.hidden = continueAt === undefined
  if (continueAt !== undefined) link.href = continueAt
  discard.hidden = !hasDraft
}

/** Returns true if the user has only chosen another spot or type for the report of this address. */
function isMovedFrom(url: string): boolean {
  const { searchParams } = new URL(url, location.origin)
  return new URL(location.href).searchParams.get('from') === `${searchParams.get('lat')}/${searchParams.get('lng')}`
}

function formUrl(form: HTMLFormElement): string {
  const hidden = (name: string) => (form.elements.namedItem(name) as HTMLInputElement).value
  const query = new URLSearchParams({ lat: hidden('lat'), lng: hidden('lng'), type: hidden('request_type_id') })
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

const readFields = (form: HTMLFormElement): DeviceDraft<string>['fields'] =>
  listFields(form).flatMap((field) => (isBox(field) && !field.checked ? [] : [[field.name, field.value] as const]))

/** Fields that the user has filled in meanwhile keep their values. */
function writeFields(form: HTMLFormElement, fields: DeviceDraft<string>['fields']): void {
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

function writeFiles(form: HTMLFormElement, fields: DeviceDraft<File>['fields']): void {
  for (const field of listFileFields(form)) {
    const files = fields.flatMap(([name, file]) => (name === field.name ? [file] : []))
    if (files.length > 0 && !field.files?.length) setFiles(field, files)
  }
}
