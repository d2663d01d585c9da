// Shows the button that shares the link of a page: by the device if it can, else by the clipboard.
async function share({ share: url, title, copied, failed }, status) {
  status.textContent = ''
  try {
    if (navigator.share) return await navigator.share({ url, title })
    await navigator.clipboard.writeText(url)
    status.textContent = copied
  } catch (error) {
    // A user who closes the dialog of the device has not failed.
    if (error.name !== 'AbortError') status.textContent = failed
  }
}

for (const button of document.querySelectorAll('[data-share]')) {
  const status = button.parentElement.querySelector('[role=status]')
  button.hidden = false
  button.addEventListener('click', () => void share(button.dataset, status))
}
