import { findFileErrors } from './check-files.ts'
import { setFiles } from './file-field.ts'
import { type PhotoPlace, readPhotoPlace } from './photo-place.ts'
import { loadPhotos, savePhotos } from './photo-store.ts'

/* Pictures at the start of a report and in its form. They stay on the device until the form is sent. */

interface PhotoPickerOptions {
  /** The key of the report's draft. */
  readonly key: string
  /** The field of the form that sends the pictures. */
  readonly field?: HTMLInputElement
  /** The user takes the place of a picture. */
  readonly onPlace?: (place: PhotoPlace) => void
}

/** Shows the section of the page, whose attributes have the texts. */
export async function showPhotoPicker(section: HTMLElement, { key, field, onPlace }: PhotoPickerOptions): Promise<void> {
  const texts = section.dataset
  const list = section.querySelector('ul') as HTMLElement
  const status = section.querySelector('[data-photo-status]') as HTMLElement
  const usePlace = section.querySelector<HTMLButtonElement>('[data-photo-place]')
  if (field) moveField(field, section)
  const inputs = [...section.querySelectorAll<HTMLInputElement>('input[type=file]')]
  let photos: readonly File[] = []
  let place: PhotoPlace | undefined

  /** Pictures of a saved draft, next to the section, take a part of the room unless they are removed. */
  const countRoom = () => Number(texts['max']) - countStored(section)

  const show = async (text = '') => {
    list.replaceChildren(...photos.map((photo) => createPhotoItem(photo, texts['remove'] ?? '', () => void remove(photo))))
    if (field) setFiles(field, photos)
    status.textContent = text
    if (!usePlace) return
    place = (await Promise.all(photos.map(readPhotoPlace))).find((one) => one !== undefined)
    usePlace.hidden = place === undefined
    if (photos.length > 0) status.textContent = [text, place ? texts['placeFound'] : texts['noPlace']].join(' ').trim()
  }
  // The pictures belong to the next report until its form is filled in.
  const save = () => savePhotos(photos, field ? key : undefined)
  const change = async (next: readonly File[], errors: readonly string[] = []) => {
    const max = countRoom()
    photos = next.slice(0, max)
    const tooMany = next.length > max ? [texts['tooMany'] ?? ''] : []
    status.classList.toggle('field-error', errors.length + tooMany.length > 0)
    await show([...errors, ...tooMany].join(' '))
    if (!(await save())) status.textContent = texts['notStored'] ?? ''
    // On a phone the offer is else below the screen or behind the button of the page.
    if (photos.length > 0 || errors.length > 0) status.parentElement?.scrollIntoView({ block: 'nearest' })
  }
  const remove = async (photo: File) => {
    await change(photos.filter((one) => one !== photo))
    inputs[0]?.focus()
  }
  for (const input of inputs) {
    input.addEventListener('change', () => {
      const added = [...(input.files ?? [])]
      // The same picture can be chosen again after it was removed.
      if (input !== field) input.value = ''
      const errors = findFileErrors(added, input)
      void change([...photos, ...added.filter((file) => !errors.has(file))], [...errors.values()])
    })
  }
  field?.form?.addEventListener('reset', () => {
    photos = []
    void show()
  })
  usePlace?.addEventListener('click', () => place && onPlace?.(place))
  section.hidden = false
  const stored = await loadPhotos(key)
  // A picture may have been chosen before this script was loaded.
  const found = [...stored, ...photos, ...(field?.files ?? [])].filter(isFirst)
  const errors = inputs[0] ? findFileErrors(found, inputs[0]) : new Map<File, string>()
  const valid = found.filter((file) => !errors.has(file))
  if (errors.size > 0 || valid.length > countRoom()) return change(valid, [...errors.values()])
  photos = valid
  if (photos.length > stored.length) await save()
  field?.form?.addEventListener('input', () => void save(), { once: true })
  await show(photos.length > 0 ? texts['attached'] : '')
}

const countStored = (section: HTMLElement) =>
  section.parentElement?.querySelectorAll('[data-remove-stored]:not(:checked)').length ?? 0

/** The field keeps its label, and the button of the section becomes another one. */
function moveField(field: HTMLInputElement, section: HTMLElement): void {
  const choose = section.querySelector('[data-choose]')
  const label = choose?.querySelector('label')
  if (label) label.htmlFor = field.id
  field.classList.add('covered')
  choose?.prepend(field)
}

/** A browser may have restored the field of the form, too. In Chromium the `lastModified` of a shared picture is the time at which it is read. */
const isFirst = (photo: File, index: number, all: readonly File[]) =>
  all.findIndex(
    (one) => one === photo || (one.name === photo.name && one.size === photo.size && one.lastModified === photo.lastModified),
  ) === index

const THUMBNAIL_PIXELS = 96

/** Returns an item of the list of pictures: a thumbnail, the name of the file, and a button that removes it. */
function createPhotoItem(photo: File, removeText: string, onRemove: () => void): HTMLElement {
  const item = document.createElement('li')
  const name = Object.assign(document.createElement('span'), { textContent: photo.name })
  const remove = Object.assign(document.createElement('button'), { type: 'button', className: 'plain', textContent: removeText })
  remove.setAttribute('aria-label', `${removeText}: ${photo.name}`)
  remove.addEventListener('click', onRemove)
  item.append(createThumbnail(photo), name, remove)
  return item
}

export function createThumbnail(photo: File): HTMLElement {
  const canvas = Object.assign(document.createElement('canvas'), { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS })
  canvas.setAttribute('aria-hidden', 'true')
  void drawThumbnail(photo, canvas)
  return canvas
}

/** The policy of the page allows no image of the device as a file, but a canvas. Few browsers decode HEIC. */
async function drawThumbnail(photo: File, canvas: HTMLCanvasElement): Promise<void> {
  const bitmap = await createImageBitmap(photo).catch(() => undefined)
  if (!bitmap) return canvas.remove()
  const scale = THUMBNAIL_PIXELS / Math.min(bitmap.width, bitmap.height)
  const [width, height] = [bitmap.width * scale, bitmap.height * scale]
  canvas.getContext('2d')?.drawImage(bitmap, (THUMBNAIL_PIXELS - width) / 2, (THUMBNAIL_PIXELS - height) / 2, width, height)
  bitmap.close()
}
