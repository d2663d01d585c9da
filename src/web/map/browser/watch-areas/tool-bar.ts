import type { Act } from './tool.ts'

export type ShapeName = 'polygon' | 'circle' | 'view'

/** Shows the buttons of the form: those that choose a shape, and those of the chosen one. */
export function createToolBar(form: HTMLFormElement, onShape: (name: ShapeName | undefined) => void) {
  const bar = form.querySelector('[data-draw-tools]') as HTMLElement
  const shapes = bar.querySelectorAll<HTMLButtonElement>('[data-shape]')
  const select = (name: ShapeName | undefined) => {
    bar.hidden = false
    for (const button of shapes) button.setAttribute('aria-pressed', String(button.dataset['shape'] === name))
    for (const group of bar.querySelectorAll<HTMLElement>('[data-tools-of]')) group.hidden = group.dataset['toolsOf'] !== name
    onShape(name)
  }
  for (const button of shapes) button.addEventListener('click', () => select(button.dataset['shape'] as ShapeName))
  return {
    select,
    onAct(call: (name: Act) => void): void {
      for (const button of bar.querySelectorAll<HTMLButtonElement>('[data-act]'))
        button.addEventListener('click', () => call(button.dataset['act'] as Act))
    },
  }
}
