/* The sheet with the list, which lies over the lower part of the map on a phone. */

/** Pixels of a drag that move the sheet; a shorter one is a click. */
const DRAG_MIN = 8

/** Lets the handle expand and collapse the sheet: by a click, by keyboard, and by dragging. */
export function followSheet(panel: HTMLElement): void {
  const button = panel.querySelector<HTMLButtonElement>('[data-sheet]')
  const label = button?.firstElementChild
  if (!button || !label) return
  const texts = { true: button.dataset['collapse'] ?? '', false: label.textContent }
  const isExpanded = () => panel.hasAttribute('data-expanded')
  const expand = (expanded: boolean) => {
    panel.toggleAttribute('data-expanded', expanded)
    panel.style.removeProperty('height')
    button.setAttribute('aria-expanded', String(expanded))
    label.textContent = texts[`${expanded}`]
    if (!expanded) panel.scrollTop = 0
  }
  let drag: { readonly y: number; readonly height: number; moved: number } | undefined
  let hasDragged = false
  button.hidden = false
  button.addEventListener('pointerdown', ({ clientY, pointerId }) => {
    button.setPointerCapture(pointerId)
    drag = { y: clientY, height: panel.offsetHeight, moved: 0 }
    hasDragged = false
  })
  button.addEventListener('pointermove', ({ clientY }) => {
    if (!drag) return
    drag.moved = drag.y - clientY
    if (Math.abs(drag.moved) < DRAG_MIN && !hasDragged) return
    hasDragged = true
    panel.style.height = `${drag.height + drag.moved}px`
  })
  const end = () => {
    if (drag && hasDragged) expand(drag.moved > 0)
    drag = undefined
  }
  button.addEventListener('pointerup', end)
  button.addEventListener('pointercancel', end)
  button.addEventListener('click', () => {
    if (!hasDragged) expand(!isExpanded())
    hasDragged = false
  })
}
