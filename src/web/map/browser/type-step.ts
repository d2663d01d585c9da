import { findDraftKey } from './device-store.ts'
import { showPhotoPicker } from './photo-picker.ts'

/* The step of a report that chooses its type: the pictures stay in view. */

const section = document.querySelector<HTMLElement>('[data-photos]')
if (section) await showPhotoPicker(section, { key: findDraftKey() })
