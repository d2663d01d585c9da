/* Runs after the script of a page. If that could not be loaded, the map has what the page shows without scripts. */

const unused = document.querySelector('#map > noscript')
// With scripts, its content is text.
if (unused) unused.replaceWith(...new DOMParser().parseFromString(unused.textContent, 'text/html').body.childNodes)
