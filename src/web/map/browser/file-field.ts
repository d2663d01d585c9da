/** Fills in a file field. An error that only asks to choose the files again is removed. */
export function setFiles(field: HTMLInputElement, files: readonly File[]): void {
  const transfer = new DataTransfer()
  for (const file of files) transfer.items.add(file)
  field.files = transfer.files
  const part = field.closest('[data-chosen-again]')
  if (!part || files.length === 0) return
  part.querySelector('.field-error')?.remove()
  const line = document.querySelector(`.error-summary a[href="#${field.id}"]`)?.closest('li')
  ;(line?.matches(':only-child') ? line.closest('.error-summary') : line)?.remove()
  field.removeAttribute('aria-invalid')
}
