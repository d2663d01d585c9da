// Makes the report form more comfortable; it works without. Where somebody is, is asked for only when they press the button.
const button = document.querySelector('[data-locate]')
const field = (name) => document.querySelector(`[name="${name}"]`)

if (button && 'geolocation' in navigator) {
  button.hidden = false
  const status = document.querySelector('[data-located]')
  button.addEventListener('click', () => {
    button.disabled = true
    status.textContent = 'Looking …'
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        field('lat').value = coords.latitude.toFixed(6)
        field('lng').value = coords.longitude.toFixed(6)
        button.form.requestSubmit()
      },
      () => {
        button.disabled = false
        status.textContent = 'Your device does not say where it is: type the point in.'
      },
      { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 },
    )
  })
}

// A moment is meant in the time of whoever types it.
const two = (number) => String(Math.abs(Math.trunc(number))).padStart(2, '0')
const zoneOf = (moment) => {
  const minutes = -moment.getTimezoneOffset()
  return `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
for (const zone of document.querySelectorAll('select[data-date-time-field]')) {
  const moment = field(zone.dataset.dateTimeField)
  const follow = () => {
    const own = zoneOf(moment.value ? new Date(moment.value) : new Date())
    if ([...zone.options].some(({ value }) => value === own)) zone.value = own
  }
  if (!moment.value) follow()
  moment.addEventListener('change', follow)
}

// One press is enough.
for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', () => {
    for (const submit of form.querySelectorAll('button')) submit.disabled = true
  })
}
addEventListener('pageshow', () => {
  for (const submit of document.querySelectorAll('form[data-once] button')) submit.disabled = false
})
