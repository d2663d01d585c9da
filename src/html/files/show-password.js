// Shows the buttons that show what is typed into a password field. The field is hidden again when its form is sent, so that browsers save it as a password.
for (const button of document.querySelectorAll('[data-shows]')) {
  const field = document.getElementById(button.dataset.shows)
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password'
    button.setAttribute('aria-pressed', String(isShown))
  }
  button.hidden = false
  button.addEventListener('click', () => show(field.type === 'password'))
  field.form.addEventListener('submit', () => show(false))
}
