// Improves the report form, which also works without it. The position is requested only when the button is pressed.
const button = document.querySelector('[data-locate]')
const field = (name) => document.querySelector(`[name="${name}"]`)

if (button && 'geolocation' in navigator) {
  button.hidden = false
  const status = document.querySelector('[data-located]')
  button.addEventListener('click', () => {
    button.disabled = true
    status.textContent = button.dataset.locating
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        field('lat').value = coords.latitude.toFixed(6)
        field('lng').value = coords.longitude.toFixed(6)
        button.form.requestSubmit()
      },
      () => {
        button.disabled = false
        status.textContent = button.dataset.notLocated
      },
      { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 },
    )
  })
}

// Dates and times are preselected in the time zone of the browser.
const two = (number) => String(Math.abs(Math.trunc(number))).padStart(2, '0')
const toOffset = (date) => {
  const minutes = -date.getTimezoneOffset()
  return `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
for (const zone of document.querySelectorAll('select[data-date-time-field]')) {
  const dateField = field(zone.dataset.dateTimeField)
  const follow = () => {
    const own = toOffset(dateField.value ? new Date(dateField.value) : new Date())
    if ([...zone.options].some(({ value }) => value === own)) zone.value = own
  }
  if (!dateField.value) follow()
  dateField.addEventListener('change', follow)
}

// Disables the buttons after the first submit.
for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', () => {
    for (const submit of form.querySelectorAll('button')) submit.disabled = true
  })
}
addEventListener('pageshow', () => {
  for (const submit of document.querySelectorAll('form[data-once] button')) submit.disabled = false
})
