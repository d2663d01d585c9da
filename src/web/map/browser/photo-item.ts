const THUMBNAIL_PIXELS = 96

/** Returns an item of the list of pictures: a thumbnail, the name of the file, and a button that removes it. */
export function createPhotoItem(photo: File, removeText: string, onRemove: () => void): HTMLElement {
  const item = document.createElement('li')
  const canvas = Object.assign(document.createElement('canvas'), { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS })
  canvas.setAttribute('aria-hidden', 'true')
  void drawThumbnail(photo, canvas)
  const name = Object.assign(document.createElement('span'), { textContent: photo.name })
  const remove = Object.assign(document.createElement('button'), { type: 'button', className: 'plain', textContent: removeText })
  remove.setAttribute('aria-label', `${removeText}: ${photo.name}`)
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
