/* Dates and times are preselected in the time zone of the browser. */

const twoDigits = (number: number) => String(Math.abs(Math.trunc(number))).padStart(2, '0')

function toOffset(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  return `${minutes < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`
}

/** The zone follows its date, because offsets differ between summer and winter. */
export function preselectTimeZones(): void {
  for (const zone of document.querySelectorAll<HTMLSelectElement>('select[data-date-time-field]')) {
    const field = document.querySelector<HTMLInputElement>(`[name="${zone.dataset['dateTimeField']}"]`)
    if (!field) continue
    const follow = () => {
      const own = toOffset(field.value === '' ? new Date() : new Date(field.value))
      if ([...zone.options].some(({ value }) => value === own)) zone.value = own
    }
    if (field.value === '') follow()
    field.addEventListener('change', follow)
  }
}
