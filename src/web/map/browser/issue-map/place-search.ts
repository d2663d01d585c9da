/** Sends the search for a place once a suggestion of the browser is chosen, with the view of the map, near which addresses are searched. */
export function followPlaceSearch(form: HTMLFormElement | null): void {
  const input = form?.elements.namedItem('find')
  if (!form || !(input instanceof HTMLInputElement)) return
  form.addEventListener('submit', () => {
    for (const field of form.querySelectorAll('input[type=hidden]')) field.remove()
    for (const [name, value] of new URL(location.href).searchParams) {
      if (name !== 'find' && name !== 'page') form.append(createField(name, value))
    }
  })
  input.addEventListener('input', (event) => {
    const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText'
    if (!isTyped && input.value !== '') form.requestSubmit()
  })
}

const createField = (name: string, value: string) => Object.assign(document.createElement('input'), { type: 'hidden', name, value })
