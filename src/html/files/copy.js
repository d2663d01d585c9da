// Shows the buttons that copy an address, or share it by a device that can. Browsers have a clipboard on secure pages only; elsewhere the address is
// selected by hand.
for (const button of document.querySelectorAll('[data-copies]')) {
  const { copies, done, title } = button.dataset
  const { textContent, ariaLabel } = button
  const canShare = title !== undefined && navigator.share !== undefined
  const copy = async () => {
    await navigator.clipboard.writeText(copies)
    Object.assign(button, { textContent: done, ariaLabel: done })
    setTimeout(() => Object.assign(button, { textContent, ariaLabel }), 3_000)
  }
  // A browser may forbid it: the user copies the selected address then.
  const select = () => getSelection()?.selectAllChildren(button.parentElement?.querySelector('a, code') ?? button)
  button.hidden = !canShare && !navigator.clipboard
  // A user who closes the dialog of the device has not failed.
  button.addEventListener(
    'click',
    () => void (canShare ? navigator.share({ url: copies, title }).catch(() => undefined) : copy().catch(select)),
  )
}
