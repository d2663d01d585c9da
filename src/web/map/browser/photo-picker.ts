import { type PhotoPlace, readPhotoPlace } from './photo-place.ts'
import { loadPhotos, savePhotos } from './photo-store.ts'

/* Pictures at the start of a report. They stay on the device until the form is sent. */

export interface PhotoTexts {
  readonly remove: string
  readonly placeFound: string
  readonly noPlace: string
  readonly notStored: string
}

const THUMBNAIL_PIXELS = 96

/** Shows the section of the page, and calls back when the user takes the place of a picture. */
export async function showPhotoPicker(
  section: HTMLElement,
  { texts, photosMax, onPlace }: { texts: PhotoTexts; photosMax: number; onPlace: (place: PhotoPlace) => void },
): Promise<void> {
  const list = section.querySelector('ul') as HTMLElement
  const status = section.querySelector('[data-photo-status]') as HTMLElement
  const usePlace = section.querySelector('[data-photo-place]') as HTMLButtonElement
  let photos = await loadPhotos()
  let place: PhotoPlace | undefined

  const show = async () => {
    list.replaceChildren(
      ...photos.map((photo) => photoItem(photo, texts, () => void change(photos.filter((one) => one !== photo)))),
    )
    const places = await Promise.all(photos.map(readPhotoPlace))
    place = places.find((one) => one !== undefined)
    usePlace.hidden = place === undefined
    status.textContent = photos.length === 0 ? '' : place ? texts.placeFound : texts.noPlace
  }
  const change = async (next: readonly File[]) => {
    photos = next.slice(0, photosMax)
    const isStored = await savePhotos(photos)
    await show()
    if (!isStored) status.textContent = texts.notStored
  }
  for (const input of section.querySelectorAll<HTMLInputElement>('input[type=file]')) {
    input.addEventListener('change', () => {
      const added = [...(input.files ?? [])]
      // The same picture can be chosen again after it was removed.
      input.value = ''
      void change([...photos, ...added])
    })
  }
  usePlace.addEventListener('click', () => place && onPlace(place))
  section.hidden = false
  await show()
}

function photoItem(photo: File, texts: PhotoTexts, onRemove: () => void): HTMLElement {
  const item = document.createElement('li')
  const canvas = Object.assign(document.createElement('canvas'), { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS })
  canvas.setAttribute('aria-hidden', 'true')
  void drawThumbnail(photo, canvas)
  const name = Object.assign(document.createElement('span'), { textContent: photo.name })
  const remove = Object.assign(document.createElement('button'), { type: 'button', className: 'plain', textContent: texts.remove })
  remove.setAttribute('aria-label', `${texts.remove}: ${photo.name}`)
  remove.addEventListener('click', onRemove)
  item.append(canvas, name, remove)
  return item
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
