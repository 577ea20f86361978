/** One line of a terminal that says what is under way, and is gone when it ends; elsewhere nothing is written. */
export interface ProgressLine extends Disposable {
  readonly step: (words: string) => void
  end(): void
}

/** To the first column, and nothing right of it. */
const cleared = "\r\u001b[2K"

/** Shows what is being started in one line of a terminal, which ends with the start; shows nothing elsewhere. */
export function progressLine(
  terminal: { readonly isTTY?: boolean; write(text: string): unknown },
  { silent = false }: { readonly silent?: boolean } = {},
): ProgressLine {
  const isShown = terminal.isTTY === true && !silent
  let isThere = false
  const end = () => {
    if (isThere) terminal.write(cleared)
    isThere = false
  }
  const step = (words: string) => {
    if (isShown) terminal.write(`${cleared}starting ${words} …`)
    isThere = isShown
  }
  return { step, end, [Symbol.dispose]: end }
}
