/* Checks pictures before they are sent: a refused upload takes minutes on a slow connection. The server checks their content again. */

const KINDS = /^image\/(png|jpeg|gif|webp|heic|heif)$/
/** Some browsers know no type of HEIC, which a form then sends as any file. */
const NO_TYPES = ['', 'application/octet-stream']
const NAMES = /\.(png|jpe?g|gif|webp|heic|heif)$/i

/** Returns the errors of files for this field, whose attributes have the texts. */
export function findFileErrors(files: readonly File[], { dataset }: HTMLInputElement): ReadonlyMap<File, string> {
  const errors = files.flatMap((file): [File, string][] => {
    const isKnown = NO_TYPES.includes(file.type) ? NAMES.test(file.name) : KINDS.test(file.type)
    const text = !isKnown ? dataset['wrongKind'] : file.size > Number(dataset['maxBytes']) ? dataset['tooLarge'] : undefined
    return text === undefined ? [] : [[file, text.replace('{name}', file.name)]]
  })
  return new Map(errors)
}

/** Empties a field with a file that the server would refuse, and says so at the field. */
export function checkFileFields(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[type=file]:not([multiple])')) {
    field.addEventListener('change', () => {
      const error = [...findFileErrors([...(field.files ?? [])], field).values()].join(' ')
      if (error !== '') field.value = ''
      showError(field, error)
    })
  }
}

function showError(field: HTMLInputElement, text: string): void {
  const id = `${field.id}-error`
  document.getElementById(id)?.remove()
  field.toggleAttribute('aria-invalid', text !== '')
  if (text === '') return
  const error = Object.assign(document.createElement('p'), { id, className: 'field-error', textContent: text })
  error.setAttribute('role', 'alert')
  field.after(error)
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', [field.getAttribute('aria-describedby'), id].filter(Boolean).join(' '))
}
