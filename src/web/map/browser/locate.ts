/* The position of the device, which is requested only when the button is pressed. */

const OPTIONS = { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 }

/** Shows the button where the browser has positions. */
export function locateOnClick(button: HTMLButtonElement | null, onPoint: (point: { lat: number; lng: number }) => void): void {
  const status = document.querySelector('[data-located]')
  if (!button || !status || !('geolocation' in navigator)) return
  button.hidden = false
  button.addEventListener('click', () => {
    button.disabled = true
    status.textContent = button.dataset['locating'] ?? ''
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        button.disabled = false
        status.textContent = ''
        onPoint({ lat: coords.latitude, lng: coords.longitude })
      },
      () => {
        button.disabled = false
        status.textContent = button.dataset['notLocated'] ?? ''
      },
      OPTIONS,
    )
  })
}
