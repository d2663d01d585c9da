// Shows the buttons that copy an address. Browsers have a clipboard on secure pages only; elsewhere the address is selected by hand.
if (navigator.clipboard)
  for (const button of document.querySelectorAll('[data-copies]')) {
    const { copies, done } = button.dataset
    const { textContent, ariaLabel } = button
    const confirm = () => {
      Object.assign(button, { textContent: done, ariaLabel: done })
      setTimeout(() => Object.assign(button, { textContent, ariaLabel }), 3_000)
    }
    button.hidden = false
    button.addEventListener('click', () => void navigator.clipboard.writeText(copies).then(confirm))
  }
