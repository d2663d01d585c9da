// Draws the boxes of the redaction form on its picture. The number fields of the form stay the only state, so it also works without this script.
const form = document.querySelector('[data-redact]')
const stage = form.querySelector('.redaction')
const rows = [...form.querySelectorAll('[data-box]')]
const more = form.querySelector('[data-more-boxes]')
const MINIMUM = 1
const clamp = (value, max = 100) => Math.min(Math.max(value, 0), max)
const input = (row, name) => row.querySelector(`[name$="[${name}]"]`)

const read = (row) => {
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => input(row, name).valueAsNumber)
  return width > 0 && height > 0 && x >= 0 && y >= 0 ? { x, y, width, height } : undefined
}
const isEmpty = (row) => [...row.querySelectorAll('input')].every(({ value }) => value === '')

function write(row, box) {
  for (const name of ['x', 'y', 'width', 'height']) input(row, name).value = box ? String(Math.round(box[name] * 100) / 100) : ''
  // A row with a box leaves the section that hides the others.
  if (box) more?.before(row)
  draw(row)
}

function fit({ x, y, width, height }) {
  const size = { width: Math.max(clamp(width), MINIMUM), height: Math.max(clamp(height), MINIMUM) }
  return { x: clamp(x, 100 - size.width), y: clamp(y, 100 - size.height), ...size }
}

/** Keeps one element per row, which has the keyboard focus. */
function draw(row) {
  const box = read(row)
  let element = stage.querySelector(`[data-drawn="${row.dataset.box}"]`)
  if (!box) return element?.remove()
  if (!element) {
    element = Object.assign(document.createElement('div'), { tabIndex: 0 })
    element.dataset.drawn = row.dataset.box
    element.setAttribute('role', 'group')
    element.setAttribute('aria-label', row.querySelector('legend').textContent)
    element.addEventListener('keydown', (event) => press(event, row))
    stage.append(element)
  }
  Object.assign(element.style, { left: `${box.x}%`, top: `${box.y}%`, width: `${box.width}%`, height: `${box.height}%` })
}

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

function press(event, row) {
  const box = read(row)
  const [right, down] = arrows[event.key] ?? [0, 0]
  if (event.key === 'Delete' || event.key === 'Backspace') write(row, undefined)
  else if (!box || !(event.key in arrows)) return
  else if (event.shiftKey) write(row, fit({ ...box, width: box.width + right, height: box.height + down }))
  else write(row, fit({ ...box, x: box.x + right, y: box.y + down }))
  event.preventDefault()
}

function point(event) {
  const { left, top, width, height } = stage.getBoundingClientRect()
  return { x: clamp(((event.clientX - left) / width) * 100), y: clamp(((event.clientY - top) / height) * 100) }
}

stage.addEventListener('pointerdown', (start) => {
  const row = rows.find(isEmpty)
  if (!row || start.button !== 0 || start.target.dataset.drawn) return
  start.preventDefault()
  stage.setPointerCapture(start.pointerId)
  const from = point(start)
  const move = (event) => {
    const to = point(event)
    const size = { width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) }
    write(row, size.width > 0 && size.height > 0 ? { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), ...size } : undefined)
  }
  const end = () => {
    stage.removeEventListener('pointermove', move)
    stage.querySelector(`[data-drawn="${row.dataset.box}"]`)?.focus()
  }
  stage.addEventListener('pointermove', move)
  for (const type of ['pointerup', 'pointercancel']) stage.addEventListener(type, end, { once: true })
})

const add = form.querySelector('[data-add]')
add.addEventListener('click', () => {
  const row = rows.find(isEmpty)
  if (!row) return
  write(row, { x: 40, y: 40, width: 20, height: 20 })
  stage.querySelector(`[data-drawn="${row.dataset.box}"]`).focus()
})

for (const hidden of form.querySelectorAll('[data-add], [data-drawing]')) hidden.hidden = false
stage.classList.add('drawable')
for (const row of rows) {
  row.addEventListener('input', () => draw(row))
  draw(row)
}
form.addEventListener('submit', () => {
  for (const button of form.querySelectorAll('button')) button.disabled = true
})
addEventListener('pageshow', () => {
  for (const button of form.querySelectorAll('button')) button.disabled = false
})
