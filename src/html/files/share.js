// Shows the button that shares the link of a page: by the device if it can, else by the clipboard.
for (const button of document.querySelectorAll('[data-share]')) {
  const { share: url, title, copied, failed } = button.dataset
  const status = button.parentElement.querySelector('[role=status]')
  button.hidden = false
  button.addEventListener('click', async () => {
    status.textContent = ''
    try {
      if (navigator.share) await navigator.share({ url, title })
      else {
        await navigator.clipboard.writeText(url)
        status.textContent = copied
      }
    } catch (error) {
      // A user who closes the dialog of the device has not failed.
      if (error.name !== 'AbortError') status.textContent = failed
    }
  })
}
